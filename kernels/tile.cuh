// What the lesson does with a tile: initialise its barriers, copy it in box by box, read it back and check it.
#pragma once

#include "agent_warps.cuh"
#include "lesson_params.cuh"
#include "pipeline.cuh"

template <class Storage, class Log>
__device__ void init_barriers(Storage& storage, uint32_t full_init, uint32_t empty_init, Log& log,
                              uint32_t line = __builtin_LINE()) {
    constexpr uint32_t stages = sizeof(storage.full_barrier) / sizeof(storage.full_barrier[0]);
    const auto init = [&](ClusterBarrier& barrier, On which, uint32_t stage, uint32_t count) {
        const uint64_t clock = log.clock();
        barrier.init(count);
        log.write(clock, line,
                  {.amount = count, .kind = Kind::Init, .stage = static_cast<uint8_t>(stage), .barrier = which});
    };
    for (uint32_t stage = 0; stage < stages; ++stage) init(storage.full_barrier[stage], On::Full, stage, full_init);
    for (uint32_t stage = 0; stage < stages; ++stage) init(storage.empty_barrier[stage], On::Empty, stage, empty_init);
}

template <class Log>
__device__ void fence_barrier_init(Log& log, uint32_t line = __builtin_LINE()) {
    fence_mbarrier_init();
    log.write(log.clock(), line, {.kind = Kind::Fence});
}

// The first of the source's columns that the next tile holds; the source's tiles come again and again. Counted along,
// because a remainder takes the producer a hundred cycles.
class SourceColumn {
public:
    __device__ SourceColumn(const LessonParams& params)
        : tile_columns_(in_register(params.tile_columns)), end_(in_register(params.source_tiles * params.tile_columns)) {}

    __device__ uint32_t first() const { return first_; }
    __device__ void operator++() {
        first_ += tile_columns_;
        if (first_ == end_) first_ = 0;
    }

private:
    uint32_t tile_columns_;
    uint32_t end_;
    uint32_t first_ = 0;
};

// Copies box `box` of the tile that begins at `column`, behind the boxes before it in the stage buffer.
template <class State, class Log>
__device__ void tma_load(const TensorMap& source, ClusterTransactionBarrier& full, uint8_t* buffer, uint32_t box,
                         uint32_t column, uint32_t bytes, const State& state, Log& log, uint32_t line = __builtin_LINE()) {
    const uint64_t clock = log.clock();
    copy_box(source, full, buffer + box * bytes, static_cast<int>(column + box * kBoxColumns), 0);
    log.write(clock, line,
              {.tile = state.count(),
               .amount = bytes,
               .kind = Kind::CopyIssue,
               .stage = static_cast<uint8_t>(state.index()),
               .barrier = On::Full});
}

// Other work: so many turns of a loop, the same whenever it begins. One that watched the clock would end at a turn of its own,
// and the kernel's time would jump by a turn from one build to the next. Returns 0; who uses it keeps the loop from being dropped.
__device__ inline uint32_t work_for(uint32_t turns) {
    uint32_t odd = 1;
#pragma unroll 1
    for (uint32_t turn = 0; turn < turns; ++turn) asm volatile("mad.lo.u32 %0, %0, 4, 1;" : "+r"(odd));
    return odd == 0;
}

__device__ inline uint4 load_chunk(uint32_t address) {
    uint4 chunk;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(chunk.x), "=r"(chunk.y), "=r"(chunk.z), "=r"(chunk.w)
                 : "r"(address));
    return chunk;
}

// Halves that differ between two packed pairs.
__device__ inline uint32_t differing_halves(uint32_t a, uint32_t b) {
    const uint32_t difference = a ^ b;
    return ((difference & 0xffffu) != 0) + ((difference >> 16) != 0);
}

// The tile's chunks of 16 bytes go round the consumers' threads. How many there are is a number of the build: loads then need
// no register for an address each, and loops no test before they begin.
constexpr uint32_t kThreads = PHASESCOPE_CONSUMER_WARPS * 32;
constexpr uint32_t kChunks = PHASESCOPE_TILE_BYTES / 16;
constexpr uint32_t kStep = kThreads * 16;  // bytes from one of a thread's chunks to the next
constexpr uint32_t kBatch = 5;             // so many a thread loads before it uses the first

// Where this thread's first chunk of the tile lies.
__device__ inline uint32_t first_chunk(const uint8_t* buffer) { return shared_address(buffer) + (threadIdx.x - 32) * 16; }

// This thread's share of the tile: the number of wrong values, or the sum of its 32-bit words.
// The 128-byte swizzle has exchanged the eight chunks of each row by address bits 7..9.
template <class State, class Log>
__device__ uint32_t read_tile(uint32_t first, const State& state, uint32_t delay, const LessonParams& params, Log& log,
                              uint32_t line = __builtin_LINE()) {
    Event event{.tile = state.count(), .kind = Kind::ReadBegin, .stage = static_cast<uint8_t>(state.index())};
    log.write(log.clock(), line, event);
    uint32_t result = 0;
#if PHASESCOPE_EXACT
    const uint32_t base = first - (threadIdx.x - 32) * 16;
    const uint32_t row_halves = params.source_tiles * params.tile_columns;
    const uint32_t first_column = state.count() % params.source_tiles * params.tile_columns;
    const auto use = [&](const uint4& found, uint32_t address) {
        const uint32_t chunk = (address - base) / 16;
        const uint32_t row = chunk / 8 % params.tile_rows;
        const uint32_t box = chunk / 8 / params.tile_rows;
        const uint32_t column = first_column + box * kBoxColumns + (chunk % 8 ^ (address >> 7 & 7)) * 8;
        const uint4 wanted =
            *reinterpret_cast<const uint4*>(params.expected + static_cast<uint64_t>(row) * row_halves + column);
        result += differing_halves(found.x, wanted.x) + differing_halves(found.y, wanted.y) +
                  differing_halves(found.z, wanted.z) + differing_halves(found.w, wanted.w);
    };
#else
    const auto use = [&](const uint4& found, uint32_t) { result += found.x + found.y + found.z + found.w; };
#endif
    uint32_t address = first;
#pragma unroll 1
    for (uint32_t batch = 0; batch < kChunks / kThreads / kBatch; ++batch, address += kBatch * kStep) {
        uint4 found[kBatch];
#pragma unroll
        for (uint32_t turn = 0; turn < kBatch; ++turn) found[turn] = load_chunk(address + turn * kStep);
#pragma unroll
        for (uint32_t turn = 0; turn < kBatch; ++turn) use(found[turn], address + turn * kStep);
    }
#pragma unroll 1
    for (uint32_t left = kChunks / kThreads % kBatch; left != 0; --left, address += kStep) use(load_chunk(address), address);
    if (threadIdx.x - 32 < kChunks % kThreads) use(load_chunk(address), address);
    result += work_for(delay);
    log.gather();
    event.kind = Kind::ReadEnd;
    log.write(log.clock(), line, event);
    return result;
}

// One number per consumer warp for the host to check.
__device__ inline void report(uint32_t result, const LessonParams& params) {
    const uint32_t sum = __reduce_add_sync(0xffffffffu, result);
    const uint32_t warps = agent_warps() - 1;
    if (threadIdx.x % 32 == 0) params.results[blockIdx.x * warps + threadIdx.x / 32 - 1] = sum;
}
