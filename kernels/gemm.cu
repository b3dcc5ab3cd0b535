// C = A * B^T by warps with roles, "cooperative": a producer loads tiles of A and B through one ring, and two consumer
// warpgroups multiply, each its 64 rows of the CTA's 128x256 results.
//
// New against the lesson: wgmma reads a stage while the warps go on, so a stage is released one tile late, when the wait
// for the next tile's wgmmas says that its own are done; the producer gives up registers for the consumers' results; and
// these leave by TMA, through two buffers. A is [M][K], B [N][K], C [M][N], all halves. -DPHASESCOPE_FAULT as there.
#include "plain_pipeline.cuh"
#include "tile_store.cuh"

constexpr uint32_t kStages = PHASESCOPE_STAGES;  // -DPHASESCOPE_STAGES=4, or another count that fits
constexpr uint32_t kTileM = 128, kTileN = 256, kTileK = kSwizzleColumns;
constexpr uint32_t kABytes = kTileM * kRowBytes, kBBytes = kTileN * kRowBytes;
constexpr uint32_t kWarpgroups = 2;               // that consume
constexpr uint32_t kHalves = kTileN / kWarpgroupColumns;  // wgmmas side by side
constexpr uint32_t kBuffers = 2;                  // of a warpgroup, for its results on their way out

using Pipeline = PipelineTmaAsync<kStages>;
using State = Pipeline::State;

struct SharedStorage {
    alignas(1024) uint8_t a[kStages][kABytes];
    uint8_t b[kStages][kBBytes];
    uint8_t c[kWarpgroups][kBuffers][kBlockBytes];
    Pipeline pipeline;
};

// One thread.
__device__ inline void load(SharedStorage& storage, const TensorMap& a, const TensorMap& b, uint32_t m, uint32_t n, uint32_t k_tiles) {
    State pipe_write = Pipeline::producer_start();
    for (uint32_t k = 0; k < k_tiles; ++k, ++pipe_write) {
        storage.pipeline.producer_acquire(pipe_write, kABytes + kBBytes);
        auto& full = storage.pipeline.producer_get_barrier(pipe_write);
        copy_box(a, full, storage.a[pipe_write.index()], k * kTileK, m);
        copy_box(b, full, storage.b[pipe_write.index()], k * kTileK, n);
    }
    storage.pipeline.producer_tail(pipe_write);
}

// d += this warpgroup's rows of A times B, 16 of K a step.
__device__ inline void multiply_tile(float (&d)[kHalves][kAccumulators], const uint8_t* a, const uint8_t* b, bool adds) {
#pragma unroll
    for (uint32_t step = 0; step < kTileK / kDepth; ++step) {
#pragma unroll
        for (uint32_t half = 0; half < kHalves; ++half) {
            wgmma(d[half], k_major(a) + step * kNextKMajor,
                  k_major(b + half * kWarpgroupColumns * kRowBytes) + step * kNextKMajor, adds || step > 0);
        }
    }
}

__device__ inline void multiply(SharedStorage& storage, float (&d)[kHalves][kAccumulators], uint32_t warpgroup, uint32_t k_tiles) {
    State pipe_read = Pipeline::consumer_start(), pipe_release = pipe_read;
    for (uint32_t k = 0; k < k_tiles; ++k, ++pipe_read) {
        storage.pipeline.consumer_wait(pipe_read);
        wgmma_fence();
        multiply_tile(d, storage.a[pipe_read.index()] + warpgroup * kBlockBytes, storage.b[pipe_read.index()], k > 0);
        wgmma_commit();
        wgmma_wait<1>();  // those of the tile before are done
        if (k > 0) {
            storage.pipeline.consumer_release(pipe_release);
            ++pipe_release;
        }
    }
    wgmma_wait<0>();
    storage.pipeline.consumer_release(pipe_release);
    for (auto& half : d) settled(half);
}

// Block by block of 64 columns. A buffer is free again when the store before the last has read it.
__device__ inline void store(SharedStorage& storage, const float (&d)[kHalves][kAccumulators], const TensorMap& c, uint32_t warpgroup,
                             uint32_t m, uint32_t n) {
#pragma unroll
    for (uint32_t block = 0; block < kTileN / kSwizzleColumns; ++block) {
        uint8_t* const buffer = storage.c[warpgroup][block % kBuffers];
        if (stores()) store_wait<kBuffers - 1>();
        warpgroup_sync(warpgroup);
        write_block(buffer, d[block / 2], block % 2);
        fence_proxy_async();
        warpgroup_sync(warpgroup);
        if (stores()) {
            store_box(c, buffer, n + block * kSwizzleColumns, m + warpgroup * kWarpgroupRows);
            store_commit();
        }
    }
    if (stores()) store_wait<0>();  // shared memory must stay until it has been read
}

extern "C" __global__ void __launch_bounds__((1 + kWarpgroups) * kWarpgroupThreads, 1)
    gemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, uint32_t k_tiles) {
    extern __shared__ __align__(1024) uint8_t shared[];
    auto& storage = *reinterpret_cast<SharedStorage*>(shared);
    if (threadIdx.x == 0) {
        storage.pipeline.init(kWarpgroups * kWarpgroupWarps);
        fence_mbarrier_init();
    }
    __syncthreads();

    const uint32_t m = blockIdx.y * kTileM, n = blockIdx.x * kTileN;
    if (warpgroup_index() == 0) {
        give_up_registers<40>();
        if (threadIdx.x < 32 && elect_one()) load(storage, a, b, m, n, k_tiles);
    } else {
        take_registers<232>();
        const uint32_t warpgroup = warpgroup_index() - 1;
        float d[kHalves][kAccumulators];
        multiply(storage, d, warpgroup, k_tiles);
        store(storage, d, c, warpgroup, m, n);
    }
}
