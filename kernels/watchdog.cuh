// The waits of the kernel: CUTLASS's plain ones behind one test, which tells whether they block; or - if PHASESCOPE_BOUND is 1 -
// waits that give up when they take too long: all agents of the CTA then log what they wait for and leave.
//
// A bound costs some nanoseconds a tile; without one a hang is ended from outside. Mind in changing this that ptxas puts a YIELD,
// which costs a warp 50 cycles, into every loop of a kernel in which a function is called, and into a loop that is left in its
// middle by more than one predicated exit (docs/hardware.md, "What logging costs").
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

constexpr uint32_t kCompleted = 1;                // visualizer/sources/lesson/raw_log.py STATUS_COMPLETED
constexpr uint32_t kTimedOut = 0x80000000u;       // | warp << 16 | barrier << 8 | stage
constexpr uint64_t kLandingTime = 100000;         // ns: copies in flight must land before the CTA's memory is given away

__device__ inline void let_copies_land() {
    const uint64_t start = read_globaltimer();
    while (read_globaltimer() - start < kLandingTime) __nanosleep(1000);
}

// The last warp to leave takes the CTA's closing anchor.
__device__ inline void count_leaving(Control& control, uint32_t* status, Anchor* last_anchor) {
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

    // Waits for the whole warp, whose lanes test in one instruction and see one answer. Returns whether the wait blocked, as far
    // as a log asks; does not return if it gives up. Without a log this is CUTLASS's wait, to measure the others against.
    __device__ bool wait(ClusterBarrier& barrier, const Event& event, uint32_t line) {
        if constexpr (Log::enabled) {
            const bool passed = barrier.test_wait(event.parity);
            log_.testing(event.barrier);
            if (passed) return false;
        }
        if constexpr (Log::enabled && kBounded) {
            const uint64_t start = read_globaltimer();
            while (!barrier.try_wait(event.parity)) {
                const bool gives_up = *static_cast<const volatile uint32_t*>(&control_.aborted) != 0 ||
                                      read_globaltimer() - start > limit_ns_;
                if (gives_up) give_up(event, line);
                exit_if(gives_up);
            }
        } else {
            while (!barrier.try_wait(event.parity)) {
            }
        }
        return Log::enabled;
    }

    // The warp is done, or has given up.
    __device__ void leave() {
        if constexpr (!Log::enabled) return;
        log_.close();
        __syncwarp();
        count_leaving(control_, status_, last_anchor_);
    }

private:
    // By a predicated instruction and no branch, see above.
    static __device__ void exit_if(uint32_t condition) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p exit; }" ::"r"(condition));
    }

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
    }

    Control& control_;
    Log& log_;
    uint64_t limit_ns_;
    uint32_t* status_;
    Anchor* last_anchor_;
};
