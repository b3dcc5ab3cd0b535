// Ways to log that phasescope does not use, for benchmarks/log_cost.py to measure beside those that it does.
//
// Each has the members of the logs in kernels/, and is compiled into the same kernel by
// -DPHASESCOPE_LOG_TYPE=... -DPHASESCOPE_LOG=3. Only their cost is of interest; the host does not read what they write.
#include "clock_log.cuh"

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
    __device__ void passed() { first = read_clock_low(); }
    __device__ void blocked(uint32_t waited) { flag = waited; }
    __device__ void keep_record(uint32_t second) {
        if (tile < limit) slice[tile] = {(first & ~1u) | flag, second};
        ++tile;
    }
    uint2* slice;
    uint32_t limit;
    uint32_t tile = 0;
    uint32_t first = 0;
    uint32_t flag = 0;
};

// The record is stored as the tile is done, and not at the next wait.
struct StoreAtOnce : Attempt {
    using Attempt::Attempt;
    __device__ void issued() { keep_record(read_clock_low()); }
    __device__ void released() { keep_record(read_clock_low()); }
};

// The same with a memory clobber on each clock and a branch around the store.
struct Clobbering : Attempt {
    using Attempt::Attempt;
    __device__ uint32_t now() {
        uint32_t cycles;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
        return cycles;
    }
    __device__ void passed() { first = now(); }
    __device__ void keep() {
        const uint32_t last = now();
        if (threadIdx.x % 32 == 0) {
            asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(slice + tile), "r"(first), "r"(last) : "memory");
        }
        ++tile;
    }
    __device__ void issued() { keep(); }
    __device__ void released() { keep(); }
};

// Lane i keeps tile i's clocks; every 32 tiles all lanes store together.
struct InRegisters : Attempt {
    using Attempt::Attempt;
    __device__ void keep() {
        const uint32_t last = read_clock_low();
        if (tile % 32 == threadIdx.x % 32) kept = {(first & ~1u) | flag, last};
        if (tile % 32 == 31) slice[tile - 31 + threadIdx.x % 32] = kept;
        ++tile;
    }
    __device__ void issued() { keep(); }
    __device__ void released() { keep(); }
    uint2 kept = {};
};

// Two clocks, and a store of the last ones alone.
struct ClocksOnly : Attempt {
    using Attempt::Attempt;
    __device__ void passed() { first ^= read_clock_low(); }
    __device__ void issued() { first ^= read_clock_low(); }
    __device__ void released() { first ^= read_clock_low(); }
    __device__ void close() { keep_record(0); }
};

// The consumers log nothing.
struct ProducerOnly : ClockLog<Level::Full> {
    using ClockLog::ClockLog;
    __device__ void store(On barrier) {
        if (barrier == On::Empty) ClockLog::store(barrier);
    }
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
    __device__ void passed() { keep(1); }
    __device__ void issued() { keep(2); }
    __device__ void released() { keep(3); }
    uint64_t* next;
};

// printf of a clock by one lane at the same places.
struct Printing : NoLog {
    static constexpr bool enabled = true;
    __device__ Printing(const LogMemory& memory) : NoLog(memory) {}
    __device__ void say(const char* what) {
        if (threadIdx.x % 32 == 0) printf("%s %u %u %llu\n", what, blockIdx.x, threadIdx.x / 32, read_clock());
    }
    __device__ void passed() { say("passed"); }
    __device__ void issued() { say("issued"); }
    __device__ void released() { say("released"); }
};

#include "async_pipeline.cu"
