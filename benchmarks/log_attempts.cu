// Ways to log that phasescope does not use, for benchmarks/log_cost.py to measure beside those that it does.
//
// Each has the members of the logs in kernels/, and is compiled into the same kernel by -DATTEMPT=... -DPLACE=...
// -DPHASESCOPE_LOG=3. Only their cost is of interest; the host does not read what they write.
#include "clock_log.cuh"

// Any log, with so many blocks of code before the kernel's loops that never run: they move the loops in memory. Where a loop
// lies decides how fast its instructions are fetched, by some percent of a tile's time and by no merit of its own.
template <class Log, int places>
struct Padded : Log {
    __device__ Padded(const LogMemory& memory) : Log(memory) {
#pragma unroll
        for (int place = 0; place < places; ++place) {
            if (memory.capacity == ~0u - place) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(memory.attempted + place));
        }
    }
};

// A wait that tells whether it blocked, and nothing else: what every level pays.
struct WaitsOnly : NoLog {
    static constexpr bool enabled = true;
    __device__ WaitsOnly(const LogMemory& memory) : NoLog(memory) {}
};

// What attempts share: where lane 0 of a warp stores its 8-byte record of a tile.
struct Attempt : NoLog {
    static constexpr bool enabled = true;
    __device__ Attempt(const LogMemory& memory) : NoLog(memory) {
        const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
        slice = static_cast<uint2*>(memory.records) + static_cast<uint64_t>(warp) * memory.capacity;
        limit = in_register(threadIdx.x % 32 == 0 ? memory.capacity : 0);
    }
    __device__ void passed(bool blocked) { first = (read_clock_low() & ~1u) | blocked; }
    __device__ void keep_record(uint32_t second) {
        if (tile < limit) slice[tile] = {first, second};
        ++tile;
    }
    uint2* slice;
    uint32_t limit;
    uint32_t tile = 0;
    uint32_t first = 0;
};

// A memory clobber on each clock and a branch around the store.
struct Clobbering : Attempt {
    using Attempt::Attempt;
    __device__ uint32_t now() {
        uint32_t cycles;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
        return cycles;
    }
    __device__ void passed(bool) { first = now(); }
    __device__ void keep() {
        const uint32_t last = now();
        if (threadIdx.x % 32 == 0) {
            asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(slice + tile), "r"(first), "r"(last) : "memory");
        }
        ++tile;
    }
    __device__ void issued() { keep(); }
    __device__ void releasing() { keep(); }
};

// Lane i keeps tile i's clocks; every 32 tiles all lanes store together.
struct InRegisters : Attempt {
    using Attempt::Attempt;
    __device__ void keep() {
        const uint32_t last = read_clock_low();
        if (tile % 32 == threadIdx.x % 32) kept = {first, last};
        if (tile % 32 == 31) slice[tile - 31 + threadIdx.x % 32] = kept;
        ++tile;
    }
    __device__ void issued() { keep(); }
    __device__ void releasing() { keep(); }
    uint2 kept = {};
};

// Two clocks, and a store of the last ones alone.
struct ClocksOnly : Attempt {
    using Attempt::Attempt;
    __device__ void passed(bool) { first ^= read_clock_low(); }
    __device__ void issued() { first ^= read_clock_low(); }
    __device__ void releasing() { first ^= read_clock_low(); }
    __device__ void close() { keep_record(0); }
};

// The consumers store nothing.
struct ProducerOnly : ClockLog<Level::Full> {
    using ClockLog::ClockLog;
    __device__ void releasing() {}
};

// The producer stores nothing.
struct ConsumersOnly : ClockLog<Level::Full> {
    using ClockLog::ClockLog;
    __device__ void issued() {}
};

// The record of a tile is stored as the next wait begins, right before its barrier is tested.
struct StoreAtWait : Attempt {
    using Attempt::Attempt;
    __device__ void testing(On) {
        const uint32_t begun = read_clock_low();
        keep_record(last);
        last = begun;
    }
    uint32_t last = 0;
};

// What is logged as at full, and one function that is called, once, as the warp leaves.
struct Calling : ClockLog<Level::Full> {
    using ClockLog::ClockLog;
    __device__ __noinline__ void close() { ClockLog::close(); }
};

// As FlashInfer's profiler does: at the begin and the end of an operation one thread stores a tag and the global timer as
// 64 bits, and the warp fences. Its fence is the block's; `Gpu` makes it the GPU's.
template <bool Gpu>
struct TimerAndFence : NoLog {
    static constexpr bool enabled = true;
    __device__ TimerAndFence(const LogMemory& memory) : NoLog(memory) {
        const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
        next = static_cast<uint64_t*>(memory.records) + static_cast<uint64_t>(warp) * memory.capacity * 2;
    }
    __device__ void keep(uint32_t tag) {
        if (threadIdx.x % 32 == 0) {
            uint32_t now;
            asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(now));
            *reinterpret_cast<volatile uint64_t*>(next) = tag | static_cast<uint64_t>(now) << 32;
            ++next;
        }
        Gpu ? __threadfence() : __threadfence_block();
    }
    __device__ void passed(bool) { keep(1); }
    __device__ void issued() { keep(2); }
    __device__ void releasing() { keep(3); }
    uint64_t* next;
};

// printf of a clock by one lane at the same places.
struct Printing : NoLog {
    static constexpr bool enabled = true;
    __device__ Printing(const LogMemory& memory) : NoLog(memory) {}
    __device__ void say(const char* what) {
        if (threadIdx.x % 32 == 0) printf("%s %u %u %llu\n", what, blockIdx.x, threadIdx.x / 32, read_clock());
    }
    __device__ void passed(bool) { say("passed"); }
    __device__ void issued() { say("issued"); }
    __device__ void releasing() { say("releasing"); }
};

#define PHASESCOPE_LOG_TYPE Padded<ATTEMPT, PLACE>
#include "async_pipeline.cu"
