// C = A * B^T, "ping-pong": each consumer warpgroup has a whole 128x128 tile of results to itself, and they take turns at
// the tensor cores. While one multiplies, the other rounds and stores what it has. -DPHASESCOPE_FAULT as in plain_pipeline.cuh.
//
// New against gemm.cu: an ordered sequence of barriers passes the turn on; a CTA stays for many tiles of results
// ("persistent"), and the ring goes on from one to the next, so that the producer loads the next one's tiles meanwhile.
// A warpgroup skips the tiles of the ring that are the other's: their state advances by all of them at once.
#include "plain_pipeline.cuh"
#include "tile_store.cuh"

constexpr uint32_t kStages = PHASESCOPE_STAGES;  // -DPHASESCOPE_STAGES=5, or another count that fits
constexpr uint32_t kTileM = 128, kTileN = kWarpgroupColumns, kTileK = kSwizzleColumns;
constexpr uint32_t kABytes = kTileM * kRowBytes, kBBytes = kTileN * kRowBytes;
constexpr uint32_t kWarpgroups = 2;                    // that consume, one at a time
constexpr uint32_t kHalves = kTileM / kWarpgroupRows;  // wgmmas one above the other

using Pipeline = PipelineTmaAsync<kStages>;
using State = Pipeline::State;
using Order = OrderedSequenceBarrier<kWarpgroups>;

struct SharedStorage {
    alignas(1024) uint8_t a[kStages][kABytes];
    uint8_t b[kStages][kBBytes];
    uint8_t c[kWarpgroups][kHalves][2][kBlockBytes];
    Pipeline pipeline;
    Order::SharedStorage order;
};

// The tiles of results: `turn` 0, 1, .. are this CTA's.
struct Work {
    uint32_t tiles_n, tiles, k_tiles;

    __device__ uint32_t tile(uint32_t turn) const { return blockIdx.x + turn * gridDim.x; }
    __device__ bool has(uint32_t turn) const { return tile(turn) < tiles; }
    __device__ uint32_t m(uint32_t turn) const { return tile(turn) / tiles_n * kTileM; }
    __device__ uint32_t n(uint32_t turn) const { return tile(turn) % tiles_n * kTileN; }
};

// One thread.
__device__ inline void load(SharedStorage& storage, const TensorMap& a, const TensorMap& b, const Work& work) {
    State pipe_write = Pipeline::producer_start();
    for (uint32_t turn = 0; work.has(turn); ++turn) {
        for (uint32_t k = 0; k < work.k_tiles; ++k, ++pipe_write) {
            storage.pipeline.producer_acquire(pipe_write, kABytes + kBBytes);
            auto& full = storage.pipeline.producer_get_barrier(pipe_write);
            copy_box(a, full, storage.a[pipe_write.index()], k * kTileK, work.m(turn));
            copy_box(b, full, storage.b[pipe_write.index()], k * kTileK, work.n(turn));
        }
    }
    storage.pipeline.producer_tail(pipe_write);
}

// d += A times B, 16 of K a step.
__device__ inline void multiply_tile(float (&d)[kHalves][kAccumulators], const uint8_t* a, const uint8_t* b, bool adds) {
#pragma unroll
    for (uint32_t step = 0; step < kTileK / kDepth; ++step) {
#pragma unroll
        for (uint32_t half = 0; half < kHalves; ++half) {
            wgmma(d[half], k_major(a + half * kBlockBytes) + step * kNextKMajor, k_major(b) + step * kNextKMajor,
                  adds || step > 0);
        }
    }
}

// One tile of results. The turn is passed on once the last wgmma is under way: the tensor cores work on meanwhile.
__device__ inline void multiply(SharedStorage& storage, float (&d)[kHalves][kAccumulators], State& pipe_read, Order& order,
                                uint32_t k_tiles) {
    State pipe_release = pipe_read;
    order.wait();
    for (uint32_t k = 0; k < k_tiles; ++k, ++pipe_read) {
        storage.pipeline.consumer_wait(pipe_read);
        wgmma_fence();
        multiply_tile(d, storage.a[pipe_read.index()], storage.b[pipe_read.index()], k > 0);
        wgmma_commit();
        wgmma_wait<1>();
        if (k > 0) {
            storage.pipeline.consumer_release(pipe_release);
            ++pipe_release;
        }
    }
    order.arrive();
    wgmma_wait<0>();
    storage.pipeline.consumer_release(pipe_release);
    for (auto& half : d) settled(half);
}

__device__ inline void store(SharedStorage& storage, const float (&d)[kHalves][kAccumulators], const TensorMap& c, uint32_t warpgroup,
                             uint32_t m, uint32_t n) {
    auto& buffers = storage.c[warpgroup];
    if (stores()) store_wait<0>();  // those of the tile before have been read
    warpgroup_sync(warpgroup);
#pragma unroll
    for (uint32_t half = 0; half < kHalves; ++half) {
        write_block(buffers[half][0], d[half], 0);
        write_block(buffers[half][1], d[half], 1);
    }
    fence_proxy_async();
    warpgroup_sync(warpgroup);
    if (stores()) {
        for (uint32_t half = 0; half < kHalves; ++half) {
            store_box(c, buffers[half][0], n, m + half * kWarpgroupRows);
            store_box(c, buffers[half][1], n + kSwizzleColumns, m + half * kWarpgroupRows);
        }
        store_commit();
    }
}

extern "C" __global__ void __launch_bounds__((1 + kWarpgroups) * kWarpgroupThreads, 1)
    pingpong(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c,
             uint32_t tiles_n, uint32_t tiles, uint32_t k_tiles) {
    extern __shared__ __align__(1024) uint8_t shared[];
    auto& storage = *reinterpret_cast<SharedStorage*>(shared);
    if (threadIdx.x == 0) {
        storage.pipeline.init(kWarpgroupWarps);  // a stage has one consumer: whose turn it is
        storage.order.init(kWarpgroupWarps);
        fence_mbarrier_init();
    }
    __syncthreads();

    const Work work{tiles_n, tiles, k_tiles};
    if (warpgroup_index() == 0) {
        give_up_registers<40>();
        if (threadIdx.x < 32 && elect_one()) load(storage, a, b, work);
    } else {
        take_registers<232>();
        const uint32_t warpgroup = warpgroup_index() - 1;
        Order order(storage.order, warpgroup);
        State pipe_read = Pipeline::consumer_start();
        if (warpgroup == 1) pipe_read.advance(k_tiles);
        for (uint32_t turn = warpgroup; work.has(turn); turn += kWarpgroups) {
            float d[kHalves][kAccumulators];
            multiply(storage, d, pipe_read, order, k_tiles);
            pipe_read.advance(k_tiles);  // the other's
            store(storage, d, c, warpgroup, work.m(turn), work.n(turn));
        }
        if (stores()) store_wait<0>();
    }
}
