// The pipeline before TMA, for contrast with async_pipeline.cu: every thread copies its share of a tile with cp.async,
// and every thread reads. No roles, no mbarriers, no phases.
//
// A warp waits for its own groups of copies (wait_group); __syncthreads makes them everybody's, and says at the same
// time that the stage read before it may be overwritten: nothing is released. Compile with -DPHASESCOPE_STAGES=2..8.
#include "barrier_log.cuh"

constexpr uint32_t kStages = PHASESCOPE_STAGES;
constexpr uint32_t kAhead = kStages - 1;  // groups under way at most
constexpr uint32_t kChunk = 16;           // bytes one cp.async copies

// What the host sets; visualizer/sources/cp_async/worker_kernel.py packs it.
struct CpAsyncParams {
    LogMemory log;
    Anchor* anchors;         // [2]
    uint32_t* results;       // [warps]: wrong 16-byte chunks
    const uint8_t* source;   // [tile_bytes], the same tile each time
    uint32_t tiles;
    uint32_t tile_bytes;
};

__device__ inline void cp_async(uint32_t shared, const void* global) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
}
__device__ inline void commit_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <uint32_t Keep>
__device__ inline void wait_group() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Keep) : "memory");
}

// This thread's share of a tile, committed as one group; a group without copies for a tile that there is not.
__device__ void copy_tile(uint32_t stage, uint32_t tile, const uint8_t* buffers, const CpAsyncParams& params, BarrierLog& log,
                          uint32_t line = __builtin_LINE()) {
    if (tile < params.tiles) {
        log.write(log.clock(), line,
                  {.tile = tile,
                   .amount = params.tile_bytes / (blockDim.x / 32),
                   .kind = Kind::CopyIssue,
                   .stage = static_cast<uint8_t>(stage)});
        const uint32_t buffer = static_cast<uint32_t>(__cvta_generic_to_shared(buffers)) + stage * params.tile_bytes;
        for (uint32_t at = threadIdx.x * kChunk; at < params.tile_bytes; at += blockDim.x * kChunk) {
            cp_async(buffer + at, params.source + at);
        }
    }
    commit_group();
}

__device__ void wait_copies(uint32_t tile, BarrierLog& log, uint32_t line = __builtin_LINE()) {
    log.write(log.clock(), line, {.tile = tile, .kind = Kind::WaitBegin});
    wait_group<kAhead - 1>();
    log.write(log.clock(), line, {.tile = tile, .kind = Kind::WaitEnd});
}

// How many of this thread's chunks of the tile are not the source's. It reads what other threads copied.
__device__ uint32_t check_tile(uint32_t stage, uint32_t tile, const uint8_t* buffers, const CpAsyncParams& params,
                               BarrierLog& log, uint32_t line = __builtin_LINE()) {
    Event event{.tile = tile, .kind = Kind::ReadBegin, .stage = static_cast<uint8_t>(stage)};
    log.write(log.clock(), line, event);
    const uint32_t other = threadIdx.x ^ 32;  // a neighbour warp's share
    uint32_t wrong = 0;
    for (uint32_t at = other * kChunk; at < params.tile_bytes; at += blockDim.x * kChunk) {
        const uint4 found = *reinterpret_cast<const uint4*>(buffers + stage * params.tile_bytes + at);
        const uint4 meant = *reinterpret_cast<const uint4*>(params.source + at);
        wrong += found.x != meant.x || found.y != meant.y || found.z != meant.z || found.w != meant.w;
    }
    event.kind = Kind::ReadEnd;
    log.write(log.clock(), line, event);
    return wrong;
}

extern "C" __global__ void cp_async_pipeline(const __grid_constant__ CpAsyncParams params) {
    extern __shared__ __align__(128) uint8_t buffers[];
    BarrierLog log(params.log);
    if (threadIdx.x == 0) params.anchors[0] = take_anchor();
    __syncthreads();

    uint32_t write_stage = 0, read_stage = 0, wrong = 0;
    for (uint32_t tile = 0; tile < kAhead; ++tile) {
        copy_tile(write_stage, tile, buffers, params, log);
        write_stage = (write_stage + 1) % kStages;
    }
    for (uint32_t tile = 0; tile < params.tiles; ++tile) {
        wait_copies(tile, log);
        __syncthreads();
        copy_tile(write_stage, tile + kAhead, buffers, params, log);
        write_stage = (write_stage + 1) % kStages;
        wrong += check_tile(read_stage, tile, buffers, params, log);
        read_stage = (read_stage + 1) % kStages;
    }
    log.exit(__LINE__);
    atomicAdd(&params.results[threadIdx.x / 32], wrong);
    log.close();
    __syncthreads();
    if (threadIdx.x == 0) params.anchors[1] = take_anchor();
}
