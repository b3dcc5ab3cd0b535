// The word probe, EXPERIMENTAL and off by default: a spare warp looks at live barriers until the CTA's agents have left.
//
//   -DPHASESCOPE_PROBE=1  words: `mbarrier.arrive` with a run-time count of 0 returns the word and changes nothing
//                         [measured on H200]. PTX gives the count's range as 1 and up, so this is outside PTX.
//   -DPHASESCOPE_PROBE=2  flips: `mbarrier.test_wait.parity`, which PTX allows and which sees the phase bit alone.
//
// Each lane looks at one barrier and keeps runs of equal samples: when the word had been seen, when it still was, and
// what it was. The agents' code is the same with and without the probe; the probe's memory is its own, behind a
// constant and not among the kernel's parameters. visualizer/sources/lesson/word_probe.py reads these structs.
#pragma once

#include "watchdog.cuh"

#if PHASESCOPE_PROBE

enum class Probe { Off = 0, Words = 1, Flips = 2 };  // visualizer/sources/lesson/word_probe.py PROBES, in this order
constexpr Probe kProbe = static_cast<Probe>(PHASESCOPE_PROBE);

struct alignas(16) ProbeRun {
    uint64_t seen;   // clock after the run's first sample
    int span;        // to the clock before its last sample; negative where both are one sample
    uint32_t state;  // bits 63..32 of the word; of a flip probe the phase bit alone
};
static_assert(sizeof(ProbeRun) == 16, "probe.py reads 16-byte runs");

struct ProbeCount {
    uint32_t runs;  // wanted: more than the capacity if some were lost
    uint32_t samples;
};

struct ProbeParams {
    ProbeRun* runs;      // [CTAs][barriers of a CTA][capacity]
    ProbeCount* counts;  // [CTAs][barriers of a CTA]
    uint32_t capacity;   // runs per barrier
    uint32_t chosen;     // bit i: barrier i of the CTA, full[0], full[1], ..., empty[0], ...
    uint32_t arrivals;   // 0, as a number that the assembler cannot know: it refuses a constant 0
};
extern "C" {
__constant__ ProbeParams probe_params;  // a name that the host finds
}

constexpr long long kLongestRun = 1 << 30;  // cycles, so that a span fits its field
constexpr uint32_t kInFlight = 4;           // samples on their way at a time, where few barriers are looked at
constexpr uint32_t kFew = 2;                // more with so many samples keep the unit from the agents [measured on H200]

template <uint32_t N>
struct Count {
    static constexpr uint32_t value = N;
};

__device__ inline uint32_t look(ClusterBarrier& barrier, uint32_t state) {
    if constexpr (kProbe == Probe::Words) {
        uint64_t word;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(word)
                     : "r"(shared_address(&barrier)), "r"(probe_params.arrivals)
                     : "memory");
        return static_cast<uint32_t>(word >> 32);
    } else {
        return barrier.test_wait(state >> 31) ? state ^ 0x80000000u : state;
    }
}

// Runs in the spare warp only, and returns whether this is it. `storage` holds the CTA's barriers and nothing else.
template <class Storage>
__device__ bool probe(Storage& storage, Control& control) {
    constexpr uint32_t kBarriers = sizeof(Storage) / sizeof(ClusterBarrier);
    const uint32_t lane = threadIdx.x - agent_threads();
    if (threadIdx.x < agent_threads()) return false;

    const bool looks = lane < kBarriers && (probe_params.chosen >> lane & 1) != 0;
    ClusterBarrier& barrier = reinterpret_cast<ClusterBarrier*>(&storage)[looks ? lane : 0];
    const uint32_t slice = blockIdx.x * kBarriers + lane;
    ProbeRun* const runs = probe_params.runs + static_cast<uint64_t>(slice) * probe_params.capacity;
    ProbeCount count{};
    uint32_t state = 0;  // a fresh barrier's phase bit
    uint64_t seen = 0;
    uint64_t still = 0;
    const auto end_run = [&] {
        if (count.runs < probe_params.capacity) runs[count.runs] = {seen, static_cast<int>(still - seen), state};
        ++count.runs;
    };
    const auto look_once = [&](auto in_flight) {
        constexpr uint32_t n = decltype(in_flight)::value;
        uint64_t before[n];
        uint32_t found[n];
#pragma unroll
        for (uint32_t i = 0; i < n; ++i) {
            before[i] = read_clock();
            found[i] = look(barrier, state);
        }
#pragma unroll
        for (uint32_t i = 0; i < n; ++i) {
            if (found[i] != state || count.samples == 0 || static_cast<long long>(before[i] - seen) > kLongestRun) {
                if (count.samples > 0) end_run();
                state = found[i];
                seen = read_clock();  // behind a branch on the sample, so after it
            }
            still = before[i];
            ++count.samples;
        }
    };
    const bool few = __popc(probe_params.chosen) <= kFew;
    bool all_left;
    do {
        all_left = *static_cast<volatile uint32_t*>(&control.left) == agent_warps();
        if (looks && few) look_once(Count<kInFlight>{});
        if (looks && !few) look_once(Count<1>{});
        __syncwarp();
    } while (!all_left);
    if (looks) {
        end_run();
        probe_params.counts[slice] = count;
    }
    return true;
}

#else

template <class Storage>
__device__ bool probe(Storage&, Control&) {
    return false;
}

#endif
