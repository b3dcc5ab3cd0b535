// The waits of the kernel: CUTLASS's plain ones, or - if PHASESCOPE_BOUND is 1 - ones that give up when they take too long: all
// agents of the CTA then log what they wait for and leave.
//
// A bound costs 29 ns a tile (docs/hardware.md, "What logging costs"): ptxas moves a bare try_wait loop out of the tiles' loop,
// but not one with a bound. Without it a hang is ended from outside, and a log in host memory tells all up to there.
#pragma once

#include "barrier_log.cuh"

#ifndef PHASESCOPE_BOUND
#define PHASESCOPE_BOUND 0
#endif
constexpr bool kBounded = PHASESCOPE_BOUND != 0;

// Shared by the CTA's warps; lies behind the stage buffers in dynamic shared memory.
struct alignas(16) Control {
    uint32_t aborted;  // some wait gave up: everybody leaves
    uint32_t left;     // warps that have left
};

constexpr uint32_t kCompleted = 1;                // visualizer/trace/raw.py STATUS_COMPLETED
constexpr uint32_t kTimedOut = 0x80000000u;       // | warp << 16 | barrier << 8 | stage
constexpr uint64_t kLandingTime = 100000;         // ns: copies in flight must land before the CTA's memory is given away

// What only a long wait or a leaving warp needs is kept out of the pipeline's loops by being functions of their own: even code
// that is jumped over costs the tiles' loops time (docs/hardware.md, "What logging costs").

// Whether the barrier's phase bit was no longer `parity` before some wait of the CTA gave up or `limit_ns` were over.
__device__ __noinline__ bool wait_bounded(ClusterBarrier& barrier, uint32_t parity, const Control& control,
                                          uint64_t limit_ns) {
    const uint64_t start = read_globaltimer();
    bool passed;
    do {
        passed = barrier.try_wait(parity);
    } while (!passed && *static_cast<const volatile uint32_t*>(&control.aborted) == 0 &&
             read_globaltimer() - start <= limit_ns);
    return __all_sync(0xffffffffu, passed);
}

__device__ __noinline__ void let_copies_land() {
    const uint64_t start = read_globaltimer();
    while (read_globaltimer() - start < kLandingTime) __nanosleep(1000);
}

// The last warp to leave takes the CTA's closing anchor.
__device__ __noinline__ void count_leaving(Control& control, uint32_t* status, Anchor* last_anchor) {
    if (threadIdx.x % 32 == 0 && atomicAdd(&control.left, 1) + 1 == agent_warps()) {
        *last_anchor = take_anchor();
        atomicCAS(status, 0, kCompleted);
    }
}

template <class Log>
class Watchdog {
public:
    __device__ Watchdog(Control& control, Log& log, uint64_t limit_ns, uint32_t* status, Anchor* last_anchor)
        : control_(control), log_(log), limit_ns_(limit_ns), status_(status), last_anchor_(last_anchor) {}

    // Waits for the whole warp, whose lanes test in one instruction and see one answer. Returns 1 if the wait blocked, else 0;
    // does not return if it gives up. A try_wait sleeps for longer than a sound pipeline's wait lasts. Nothing is between it and
    // its answer but the store of the log, which a further turn of the loop does again.
    __device__ uint32_t wait(ClusterBarrier& barrier, const Event& event, uint32_t line) {
        log_.testing();
        if constexpr (kBounded) {
            const bool passed = barrier.test_wait(event.parity);
            log_.store(event.barrier);
            if (__builtin_expect(passed, true)) return 0;
            if (__builtin_expect(barrier.try_wait(event.parity), true)) return 1;
            if (!wait_bounded(barrier, event.parity, control_, limit_ns_)) give_up(event, line);
            return 1;
        } else {
            uint32_t blocked = 0;
            bool passed;
            do {
                passed = barrier.try_wait(event.parity, blocked);
                log_.store(event.barrier);
            } while (!passed);
            return blocked;
        }
    }

    // The warp is done, or has given up.
    __device__ void leave() {
        log_.close();
        __syncwarp();
        count_leaving(control_, status_, last_anchor_);
    }

private:
    __device__ void give_up(const Event& event, uint32_t line) {
        log_.time_out(event, line);
        if (threadIdx.x % 32 == 0) {
            const uint32_t where = (threadIdx.x / 32) << 16 | static_cast<uint32_t>(event.barrier) << 8 | event.stage;
            atomicCAS(status_, 0, kTimedOut | where);
            *static_cast<volatile uint32_t*>(&control_.aborted) = 1;
        }
        let_copies_land();
        log_.exit(line);
        leave();
        asm volatile("exit;");
    }

    Control& control_;
    Log& log_;
    uint64_t limit_ns_;
    uint32_t* status_;
    Anchor* last_anchor_;
};

// Logging off: CUTLASS's plain wait, so that what logging costs can be measured against it. Nothing bounds it.
template <>
class Watchdog<NoLog> {
public:
    __device__ Watchdog(Control&, NoLog&, uint64_t, uint32_t*, Anchor*) {}

    __device__ uint32_t wait(ClusterBarrier& barrier, const Event& event, uint32_t) {
        while (!barrier.try_wait(event.parity)) {
        }
        return 0;
    }

    __device__ void leave() {}
};
