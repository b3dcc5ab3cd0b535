// Every wait of an instrumented kernel is bounded: when one takes too long, all agents of the CTA log what they wait
// for and leave.
//
// A debugger must survive the hangs it is there to show. The bound costs a wait that passes at once nothing.
#pragma once

#include "agent_warps.cuh"
#include "barrier_log.cuh"

// Shared by the CTA's warps; lies behind the stage buffers in dynamic shared memory.
struct alignas(16) Control {
    uint32_t aborted;  // some wait gave up: everybody leaves
    uint32_t left;     // warps that have left
};

constexpr uint32_t kCompleted = 1;                // visualizer/trace/raw.py STATUS_COMPLETED
constexpr uint32_t kTimedOut = 0x80000000u;       // | warp << 16 | barrier << 8 | stage
constexpr uint64_t kLandingTime = 100000;         // ns: copies in flight must land before the CTA's memory is given away

template <class Log>
class Watchdog {
public:
    __device__ Watchdog(Control& control, Log& log, uint64_t limit_ns, uint32_t* status, Anchor* last_anchor)
        : control_(control), log_(log), limit_ns_(limit_ns), status_(status), last_anchor_(last_anchor) {}

    // Waits for the whole warp. Returns whether the wait blocked; does not return if it gives up.
    __device__ bool wait(ClusterBarrier& barrier, const Event& event, uint32_t line) {
        bool passed = barrier.test_wait(event.parity);
        const bool blocked = !__all_sync(0xffffffffu, passed);
        if (blocked) {
            const uint64_t start = read_globaltimer();
            do {
                passed = barrier.try_wait(event.parity);
            } while (!passed && !expired(start));
            if (!__all_sync(0xffffffffu, passed)) give_up(event, line);
        }
        return blocked;
    }

    // The warp is done, or has given up: the last one to leave takes the CTA's closing anchor.
    __device__ void leave() {
        log_.close();
        __syncwarp();
        if (threadIdx.x % 32 == 0 && atomicAdd(&control_.left, 1) + 1 == agent_warps()) {
            *last_anchor_ = take_anchor();
            atomicCAS(status_, 0, kCompleted);
        }
    }

private:
    __device__ bool expired(uint64_t start) const {
        return *static_cast<volatile uint32_t*>(&control_.aborted) != 0 || read_globaltimer() - start > limit_ns_;
    }

    __device__ void give_up(Event event, uint32_t line) {
        event.kind = Kind::Timeout;
        log_.write(log_.clock(), line, event);
        if (threadIdx.x % 32 == 0) {
            const uint32_t where = (threadIdx.x / 32) << 16 | static_cast<uint32_t>(event.barrier) << 8 | event.stage;
            atomicCAS(status_, 0, kTimedOut | where);
            *static_cast<volatile uint32_t*>(&control_.aborted) = 1;
        }
        const uint64_t start = read_globaltimer();
        while (read_globaltimer() - start < kLandingTime) __nanosleep(1000);
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

    __device__ bool wait(ClusterBarrier& barrier, const Event& event, uint32_t) {
        while (!barrier.try_wait(event.parity)) {
        }
        return false;
    }

    __device__ void leave() {}
};
