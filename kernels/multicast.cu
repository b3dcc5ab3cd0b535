// The lesson over a cluster: its CTAs want the same tiles, each loads a share of every one, and TMA writes that share into
// the same place of all of them. So a tile crosses from L2 once, not once for each CTA.
//
// A stage is filled by all producers of the cluster, so it must be released to all of them: an empty barrier counts the
// consumer warps of every CTA. A full barrier expects a whole tile, whoever brings it. Compile with
//   -DPHASESCOPE_CLUSTER=1, 2 or 4 CTAs, -DPHASESCOPE_FAULT=0 or one of plain_pipeline.cuh.
#include "cluster.cuh"
#include "plain_pipeline.cuh"

constexpr uint32_t kCtas = PHASESCOPE_CLUSTER;
constexpr uint32_t kStages = PHASESCOPE_STAGES;  // -DPHASESCOPE_STAGES=3, or another count that fits
constexpr uint32_t kRows = 128;
constexpr uint32_t kRowBytes = 128;  // 64 halves: the span of the swizzle
constexpr uint32_t kTileBytes = kRows * kRowBytes;
constexpr uint32_t kShareRows = kRows / kCtas;
constexpr uint32_t kShareBytes = kTileBytes / kCtas;
constexpr uint32_t kConsumerWarps = 4;
constexpr uint16_t kEveryCta = (1u << kCtas) - 1;

using Pipeline = PipelineTmaAsync<kStages, kCtas>;
using State = Pipeline::State;

struct SharedStorage {
    alignas(1024) uint8_t tile[kStages][kTileBytes];
    Pipeline pipeline;
};

// One thread. `first`: of the source's tiles, for this cluster; they come again and again.
__device__ inline void load(SharedStorage& storage, const TensorMap& source, uint32_t first, uint32_t source_tiles, uint32_t tiles) {
    const uint32_t share = cta_in_cluster();
    State pipe_write = Pipeline::producer_start();
    for (uint32_t tile = 0; tile < tiles; ++tile, ++pipe_write) {
        const uint32_t row = (first + tile) % source_tiles * kRows + share * kShareRows;
        // The bytes of the whole tile are expected: the other shares come from the other producers, maybe before this.
        storage.pipeline.producer_acquire(pipe_write, kTileBytes);
        multicast_box(source, storage.pipeline.producer_get_barrier(pipe_write),
                      storage.tile[pipe_write.index()] + share * kShareBytes, 0, row, kEveryCta);
    }
    storage.pipeline.producer_tail(pipe_write);
}

// What a warp makes of its rows of a tile: the sum of all 32-bit words, each times an odd number that says where it was.
__device__ inline uint32_t read_rows(const uint8_t* tile, uint32_t warp) {
    const uint32_t lane = lane_index(), chunk = lane % 8;  // of 16 bytes
    uint32_t sum = 0;
#pragma unroll
    for (uint32_t step = 0; step < kRows / kConsumerWarps / 4; ++step) {
        const uint32_t row = warp * (kRows / kConsumerWarps) + step * 4 + lane / 8;
        const uint4 words = *reinterpret_cast<const uint4*>(tile + row * kRowBytes + ((chunk ^ row % 8) << 4));
        const uint32_t at = 2 * (row * (kRowBytes / 4) + chunk * 4) + 1;
        sum += words.x * at + words.y * (at + 2) + words.z * (at + 4) + words.w * (at + 6);
    }
    return sum;
}

// `sums`: for each thread of the consumer warps of each CTA, over all tiles.
__device__ inline void consume(SharedStorage& storage, uint32_t tiles, uint32_t* sums) {
    const uint32_t consumer = threadIdx.x - 32;
    State pipe_read = Pipeline::consumer_start();
    uint32_t sum = 0;
    for (uint32_t tile = 0; tile < tiles; ++tile, ++pipe_read) {
        storage.pipeline.consumer_wait(pipe_read);
        sum = sum * 3 + read_rows(storage.tile[pipe_read.index()], consumer / 32);  // the order of tiles matters, too
        storage.pipeline.consumer_release(pipe_read);
    }
    sums[blockIdx.x * kConsumerWarps * 32 + consumer] = sum;
}

extern "C" __global__ void __cluster_dims__(kCtas, 1, 1) __launch_bounds__((1 + kConsumerWarps) * 32, 1)
    multicast(const __grid_constant__ TensorMap source, uint32_t* sums, uint32_t source_tiles, uint32_t tiles) {
    extern __shared__ __align__(1024) uint8_t shared[];
    auto& storage = *reinterpret_cast<SharedStorage*>(shared);
    if (threadIdx.x == 0) {
        storage.pipeline.init(kConsumerWarps);
        fence_mbarrier_init();
    }
    cluster_sync();  // no CTA may arrive on another's barriers, or write into its tiles, before they are there

    if (threadIdx.x >= 32) {
        consume(storage, tiles, sums);
    } else if (elect_one()) {
        load(storage, source, blockIdx.x / kCtas, source_tiles, tiles);
    }
}
