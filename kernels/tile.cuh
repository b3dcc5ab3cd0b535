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

// The leader copies box `box` of the tile at `state` behind the boxes before it in the stage buffer.
template <class State, class Log>
__device__ void tma_load(const TensorMap& source, ClusterTransactionBarrier& full, uint8_t* buffer, uint32_t box,
                         const State& state, const LessonParams& params, Log& log, uint32_t line = __builtin_LINE()) {
    const uint32_t column = state.count() % params.source_tiles * params.tile_columns + box * kBoxColumns;
    const uint64_t clock = log.clock();
    copy_box(source, full, buffer + box * box_bytes(params), static_cast<int>(column), 0);
    log.write(clock, line,
              {.tile = state.count(),
               .amount = box_bytes(params),
               .kind = Kind::CopyIssue,
               .stage = static_cast<uint8_t>(state.index()),
               .barrier = On::Full});
}

// Other work, for as many SM cycles. The low half of the clock goes round in two seconds; delays last milliseconds.
__device__ inline void work_for(uint32_t cycles) {
    if (cycles == 0) return;
    const uint32_t start = read_clock_low();
    while (read_clock_low() - start < cycles) {
    }
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

// Chunks that each thread loads before it uses the first. The loop around them stays a loop: a tile's whole round is short
// enough for the instruction cache of a quarter of an SM, so that code beside it - a log, a wait's bound - costs no fetches.
constexpr uint32_t kBatch = 6;

// Which chunks are this thread's, in bytes: its first, and the step from one to the next. And the work it does then, in cycles.
struct TileShare {
    uint32_t tile_bytes;
    uint32_t first;
    uint32_t step;
    uint32_t delay;
};

__device__ inline TileShare tile_share(const LessonParams& params) {
    return {in_register(tile_bytes(params)), in_register((threadIdx.x - 32) * 16), in_register((agent_threads() - 32) * 16),
            in_register(params.consumer_delay)};
}

// Where the chunks of one tile lie. Worked out before the wait for the tile, while there is nothing else to do.
struct TilePlace {
    uint32_t first;  // this thread's first chunk
    uint32_t end;    // of the tile
};

__device__ inline TilePlace tile_place(const uint8_t* buffer, const TileShare& share) {
    const uint32_t base = shared_address(buffer);
    return {worked_out(base + share.first), worked_out(base + share.tile_bytes)};
}

// This thread's share of the tile, 16 bytes at a time: the number of wrong values, or the sum of its 32-bit words.
// The 128-byte swizzle has exchanged the eight chunks of each row by address bits 7..9.
template <class State, class Log>
__device__ uint32_t read_tile(const TilePlace& place, const State& state, const TileShare& share,
                              const LessonParams& params, Log& log, uint32_t line = __builtin_LINE()) {
    Event event{.tile = state.count(), .kind = Kind::ReadBegin, .stage = static_cast<uint8_t>(state.index())};
    log.write(log.clock(), line, event);
    uint32_t result = 0;
#if PHASESCOPE_EXACT
    const uint32_t base = place.end - share.tile_bytes;
    const uint32_t row_halves = params.source_tiles * params.tile_columns;
    const uint32_t first_column = state.count() % params.source_tiles * params.tile_columns;
#endif
    uint32_t address = place.first;
#pragma unroll 1
    do {
        uint4 found[kBatch];
#pragma unroll
        for (uint32_t turn = 0; turn < kBatch; ++turn) {
            found[turn] = address + turn * share.step < place.end ? load_chunk(address + turn * share.step) : uint4{};
        }
#pragma unroll
        for (uint32_t turn = 0; turn < kBatch; ++turn) {
#if PHASESCOPE_EXACT
            const uint32_t chunk = (address + turn * share.step - base) / 16;
            if (address + turn * share.step >= place.end) break;
            const uint32_t row = chunk / 8 % params.tile_rows;
            const uint32_t box = chunk / 8 / params.tile_rows;
            const uint32_t column = first_column + box * kBoxColumns + (chunk % 8 ^ (address + turn * share.step >> 7 & 7)) * 8;
            const uint4 wanted =
                *reinterpret_cast<const uint4*>(params.expected + static_cast<uint64_t>(row) * row_halves + column);
            result += differing_halves(found[turn].x, wanted.x) + differing_halves(found[turn].y, wanted.y) +
                      differing_halves(found[turn].z, wanted.z) + differing_halves(found[turn].w, wanted.w);
#else
            result += found[turn].x + found[turn].y + found[turn].z + found[turn].w;
#endif
        }
        address += kBatch * share.step;
    } while (address < place.end);
    work_for(share.delay);
    __syncwarp();
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
