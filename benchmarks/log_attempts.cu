// Ways to log that phasescope does not use, for benchmarks/log_cost.py to measure beside those that it does.
//
// Each has the members of the logs in kernels/, and is compiled into the same kernel by
// -DPHASESCOPE_LOG_TYPE=... -DPHASESCOPE_LOG=3. Only their cost is of interest; the host does not read what they write.
#include "clock_log.cuh"

// A bounded wait that tells whether it blocked, and nothing else: what every level pays.
struct WaitsOnly : NoLog {
    static constexpr bool enabled = true;
    static constexpr int producer_wait = 8, consumer_wait = 8;
    __device__ WaitsOnly(const LogMemory& memory) : NoLog(memory) {}
};

// The parts that attempts share: where lane 0 of a consumer warp stores its 8-byte record of a tile.
struct Attempt : NoLog {
    static constexpr bool enabled = true;
    static constexpr int producer_wait = 8, consumer_wait = 8;
    __device__ Attempt(const LogMemory& memory) : NoLog(memory) {
        const uint32_t warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
        slice = static_cast<uint2*>(memory.records) + static_cast<uint64_t>(warp) * memory.capacity;
        limit = threadIdx.x % 32 == 0 ? memory.capacity : 0;
    }
    __device__ void store(uint32_t tile, uint2 words) {
        if (tile < limit) slice[tile] = words;
    }
    uint2* slice;
    uint32_t limit;
    uint32_t first = 0;
    bool blocked = false;
};

// The wait's clock before the loads of the tile instead of behind them.
struct EarlyClock : Attempt {
    using Attempt::Attempt;
    __device__ void waited(bool waited) { first = (read_clock_low() & ~1u) | waited; }
    __device__ void acquired(bool waited) { first = (read_clock_low() & ~1u) | waited; }
    __device__ void issued(uint32_t tile) { store(tile, {first, read_clock_low()}); }
    __device__ void released(uint32_t tile) { store(tile, {first, read_clock_low()}); }
};

// Clocks with a memory clobber and a branch around the store, as the 32-byte records have.
struct Clobbering : Attempt {
    using Attempt::Attempt;
    __device__ uint32_t now() {
        uint32_t cycles;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
        return cycles;
    }
    __device__ void waited(bool) { first = now(); }
    __device__ void acquired(bool) { first = now(); }
    __device__ void keep(uint32_t tile) {
        const uint32_t last = now();
        if (threadIdx.x % 32 == 0) {
            asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(slice + tile), "r"(first), "r"(last) : "memory");
        }
    }
    __device__ void issued(uint32_t tile) { keep(tile); }
    __device__ void released(uint32_t tile) { keep(tile); }
};

// The record of a tile is stored while the next one's loads are on their way.
struct StoreLater : Attempt {
    using Attempt::Attempt;
    __device__ void waited(bool waited) { blocked = waited; }
    __device__ void acquired(bool waited) { first = (read_clock_low() & ~1u) | waited; }
    __device__ void issued(uint32_t tile) { store(tile, {first, read_clock_low()}); }
    __device__ void reading(uint32_t tile) {
        const uint32_t now = read_clock_low();
        store(tile - 1, {first, last});
        first = (now & ~1u) | blocked;
    }
    __device__ void released(uint32_t) { last = read_clock_low(); }
    uint32_t last = 0;
};

// Lane i keeps tile i's clocks; every 32 tiles all lanes store together.
struct InRegisters : Attempt {
    using Attempt::Attempt;
    __device__ void waited(bool waited) { blocked = waited; }
    __device__ void reading(uint32_t) { first = (read_clock_low() & ~1u) | blocked; }
    __device__ void acquired(bool waited) { first = (read_clock_low() & ~1u) | waited; }
    __device__ void keep(uint32_t tile) {
        const uint32_t last = read_clock_low();
        if (tile % 32 == threadIdx.x % 32) kept = {first, last};
        if (tile % 32 == 31) slice[tile - 31 + threadIdx.x % 32] = kept;
    }
    __device__ void issued(uint32_t tile) { keep(tile); }
    __device__ void released(uint32_t tile) { keep(tile); }
    uint2 kept = {};
};

// Only lane 0 reads clocks: a predicate instead of a whole warp's read.
struct OneLaneReads : Attempt {
    using Attempt::Attempt;
    __device__ uint32_t read() {
        uint32_t cycles = 0;
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %%clock; }" : "+r"(cycles) : "r"(limit));
        return cycles;
    }
    __device__ void waited(bool waited) { blocked = waited; }
    __device__ void reading(uint32_t) { first = (read() & ~1u) | blocked; }
    __device__ void acquired(bool waited) { first = (read() & ~1u) | waited; }
    __device__ void issued(uint32_t tile) { store(tile, {first, read()}); }
    __device__ void released(uint32_t tile) { store(tile, {first, read()}); }
};

// Two clocks and no store (but one of the last, so that they are read).
struct ClocksOnly : Attempt {
    using Attempt::Attempt;
    __device__ void waited(bool waited) { blocked = waited; }
    __device__ void reading(uint32_t) { first ^= (read_clock_low() & ~1u) | blocked; }
    __device__ void acquired(bool waited) { first ^= (read_clock_low() & ~1u) | waited; }
    __device__ void issued(uint32_t) { first ^= read_clock_low(); }
    __device__ void released(uint32_t) { first ^= read_clock_low(); }
    __device__ void close() { store(0, {first, first}); }
};

// The store and no clock.
struct StoreOnly : Attempt {
    using Attempt::Attempt;
    __device__ void waited(bool waited) { blocked = waited; }
    __device__ void acquired(bool waited) { blocked = waited; }
    __device__ void issued(uint32_t tile) { store(tile, {tile, blocked}); }
    __device__ void released(uint32_t tile) { store(tile, {tile, blocked}); }
};

// The consumers log nothing.
struct ProducerOnly : ClockLog<Level::Full> {
    using ClockLog::ClockLog;
    __device__ void reading(uint32_t) {}
    __device__ void released(uint32_t) {}
};

// As FlashInfer's profiler does: at the begin and the end of an operation one thread stores a tag and the global timer as
// 64 bits, and the warp fences. FlashInfer fences the block; `Fence` true fences the GPU.
template <bool Gpu>
struct TimerAndFence : NoLog {
    static constexpr bool enabled = true;
    static constexpr int producer_wait = 8, consumer_wait = 8;
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
    __device__ void waited(bool) { keep(1); }
    __device__ void acquired(bool) { keep(2); }
    __device__ void issued(uint32_t) { keep(3); }
    __device__ void released(uint32_t) { keep(4); }
    uint64_t* next;
};

// printf of a clock by one lane at the same four places.
struct Printing : NoLog {
    static constexpr bool enabled = true;
    static constexpr int producer_wait = 8, consumer_wait = 8;
    __device__ Printing(const LogMemory& memory) : NoLog(memory) {}
    __device__ void say(const char* what) {
        if (threadIdx.x % 32 == 0) printf("%s %u %u %llu\n", what, blockIdx.x, threadIdx.x / 32, read_clock());
    }
    __device__ void waited(bool) { say("passed"); }
    __device__ void acquired(bool) { say("acquired"); }
    __device__ void issued(uint32_t) { say("issued"); }
    __device__ void released(uint32_t) { say("released"); }
};

template <int P, int C, int B>
struct Mix : Attempt {
    static constexpr int producer_wait = P, consumer_wait = C;
    using Attempt::Attempt;
    __device__ void waited(bool waited) { blocked = waited; }
    __device__ void reading(uint32_t tile) {
        if (B & 7) first = (read_clock_low() & ~1u) | blocked;
        if (B & 1) store(tile, {last, first});
        if (B & 2) store4(tile, first);
    }
    __device__ void released(uint32_t tile) {
        if (B & 5) last = read_clock_low();
        if (B & 4) store(tile, {first, last});
    }
    __device__ void acquiring(uint32_t tile) {
        if (B & 16) store(tile - 1, {first, last});
        if (B & 32) { if (tile - 1 < limit / 2) reinterpret_cast<uint4*>(slice)[tile - 1] = {begun, first, copied, last}; begun = read_clock_low(); }
        if (B & 64) store4(tile - 1, first);
    }
    __device__ void acquired(bool waited) { if (B & (16 + 32 + 64 + 128)) first = (read_clock_low() & ~1u) | waited; }
    __device__ void copying() { if (B & 32) copied = read_clock_low(); }
    __device__ void issued(uint32_t tile) {
        if (B & (16 + 32 + 128)) last = read_clock_low();
        if (B & 128) store(tile, {first, last});
    }
    __device__ void store4(uint32_t tile, uint32_t word) { if (tile < limit) reinterpret_cast<uint32_t*>(slice)[tile] = word; }
    uint32_t last = 0, begun = 0, copied = 0;
};

#include "async_pipeline.cu"
