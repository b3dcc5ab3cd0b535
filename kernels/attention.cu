// O = softmax(Q * K^T / sqrt(128)) * V, forward, heads of 128: a producer loads Q once, and the tiles of K and V through a
// ring of their own each; two consumer warpgroups have 64 rows of Q each. -DPHASESCOPE_FAULT as in plain_pipeline.cuh.
//
// New against gemm.cu: two rings, because V is wanted a softmax later than K; and the softmax between two wgmmas, which
// leaves the tensor cores idle unless somebody else uses them. So the warpgroups take turns at them, one computing its
// softmax meanwhile; and a warpgroup has the products of the next K and of the last V under way together.
// Q, K, V and O are [heads * length][128] halves, a head's rows one after the other.
#include "plain_pipeline.cuh"
#include "tile_store.cuh"

constexpr uint32_t kKStages = PHASESCOPE_K_STAGES, kVStages = PHASESCOPE_V_STAGES;  // -DPHASESCOPE_K_STAGES=2 and V 3
constexpr uint32_t kHead = 128;
constexpr uint32_t kTile = kWarpgroupColumns;               // rows of K and V
constexpr uint32_t kBlocks = kHead / kSwizzleColumns;       // of 64 columns, which a box of TMA has
constexpr uint32_t kTileBytes = kTile * kHead * 2;
constexpr uint32_t kWarpgroups = 2;
constexpr float kLogScale = 0.08838834764831845f * 1.4426950408889634f;  // 1 / sqrt(128), for powers of two

using KPipeline = PipelineTmaAsync<kKStages>;
using VPipeline = PipelineTmaAsync<kVStages>;
using Order = OrderedSequenceBarrier<kWarpgroups>;

struct SharedStorage {
    alignas(1024) uint8_t q[kWarpgroups][kBlocks][kBlockBytes];  // in the end O
    uint8_t k[kKStages][kBlocks][kTile * kRowBytes];
    uint8_t v[kVStages][kBlocks][kTile * kRowBytes];
    KPipeline k_pipeline;
    VPipeline v_pipeline;
    ClusterTransactionBarrier q_full;  // nobody waits for Q's buffer to be empty: it is filled once
    Order::SharedStorage order;
};

__device__ inline void load_q(SharedStorage& storage, const TensorMap& q, uint32_t row) {
    storage.q_full.arrive_and_expect_tx(sizeof(storage.q));
    for (uint32_t warpgroup = 0; warpgroup < kWarpgroups; ++warpgroup) {
        for (uint32_t block = 0; block < kBlocks; ++block) {
            copy_box(q, storage.q_full, storage.q[warpgroup][block], block * kSwizzleColumns, row + warpgroup * kWarpgroupRows);
        }
    }
}

__device__ inline void load_k(SharedStorage& storage, const TensorMap& k, const KPipeline::State& state, uint32_t row) {
    storage.k_pipeline.producer_acquire(state, kTileBytes);
    for (uint32_t block = 0; block < kBlocks; ++block) {
        copy_box(k, storage.k_pipeline.producer_get_barrier(state), storage.k[state.index()][block], block * kSwizzleColumns, row);
    }
}

__device__ inline void load_v(SharedStorage& storage, const TensorMap& v, const VPipeline::State& state, uint32_t row) {
    storage.v_pipeline.producer_acquire(state, kTileBytes);
    for (uint32_t block = 0; block < kBlocks; ++block) {
        copy_box(v, storage.v_pipeline.producer_get_barrier(state), storage.v[state.index()][block], block * kSwizzleColumns, row);
    }
}

// scores = Q * K^T, 16 of the head's columns a step.
__device__ inline void multiply_k(float (&scores)[kAccumulators], const SharedStorage& storage, uint32_t warpgroup, uint32_t stage) {
#pragma unroll
    for (uint32_t step = 0; step < kHead / kDepth; ++step) {
        const uint32_t block = step * kDepth / kSwizzleColumns;
        const uint64_t next = step % (kSwizzleColumns / kDepth) * kNextKMajor;
        wgmma(scores, k_major(storage.q[warpgroup][block]) + next, k_major(storage.k[stage][block]) + next, step > 0);
    }
}

// out += weights * V, 16 rows of V a step. The weights are laid out as the scores were, and wgmma wants its A so.
using Weights = uint32_t[kTile / kDepth][4];
__device__ inline void multiply_v(float (&out)[kAccumulators], const Weights& weights, const SharedStorage& storage, uint32_t stage) {
#pragma unroll
    for (uint32_t step = 0; step < kTile / kDepth; ++step) {
        wgmma(out, weights[step], n_major(storage.v[stage][0], kTile) + step * kNextNMajor);
    }
}

__device__ inline float power_of_two(float exponent) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
    return power;
}

// The softmax so far of one of the two rows that a thread shares with three others: they have every fourth pair of columns.
template <uint32_t Row>
struct Softmax {
    float most = __int_as_float(0xff800000);  // minus infinity
    float sum = 0;     // of this thread's columns
    float correction;  // what the results so far are to be multiplied by

    // Scores to weights, relative to the greatest score so far.
    __device__ void update(float (&scores)[kAccumulators]) {
        float greatest = most;
        for_each(scores, [&](float& score) { greatest = fmaxf(greatest, score); });
        greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffffu, greatest, 1));
        greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffffu, greatest, 2));
        correction = power_of_two((most - greatest) * kLogScale);
        most = greatest;
        sum *= correction;
        for_each(scores, [&](float& score) {
            score = power_of_two(score * kLogScale - greatest * kLogScale);
            sum += score;
        });
    }

    __device__ void correct(float (&out)[kAccumulators]) const {
        for_each(out, [&](float& one) { one *= correction; });
    }

    // After the last tile.
    __device__ void finish() {
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        correction = 1.0f / sum;
    }

    template <class Function>
    static __device__ void for_each(float (&values)[kAccumulators], const Function& function) {
#pragma unroll
        for (uint32_t i = 2 * Row; i < kAccumulators; i += 4) {
            function(values[i]);
            function(values[i + 1]);
        }
    }
};

__device__ inline void round_weights(Weights& weights, const float (&scores)[kAccumulators]) {
#pragma unroll
    for (uint32_t i = 0; i < kAccumulators / 2; ++i) weights[i / 4][i % 4] = as_halves(scores[2 * i], scores[2 * i + 1]);
}

__device__ inline void attend(SharedStorage& storage, float (&out)[kAccumulators], uint32_t warpgroup, uint32_t tiles) {
    Order order(storage.order, warpgroup);
    auto k_read = KPipeline::consumer_start();
    auto v_read = VPipeline::consumer_start();
    Softmax<0> upper;
    Softmax<1> lower;
    float scores[kAccumulators];
    Weights weights;

    storage.q_full.wait(0);
    storage.k_pipeline.consumer_wait(k_read);
    order.wait();
    wgmma_fence();
    multiply_k(scores, storage, warpgroup, k_read.index());
    wgmma_commit();
    order.arrive();
    wgmma_wait<0>();
    storage.k_pipeline.consumer_release(k_read);
    settled(scores);
    upper.update(scores);
    lower.update(scores);
    round_weights(weights, scores);

    for (uint32_t tile = 1; tile < tiles; ++tile) {
        ++k_read;
        storage.k_pipeline.consumer_wait(k_read);
        order.wait();
        wgmma_fence();
        multiply_k(scores, storage, warpgroup, k_read.index());
        wgmma_commit();
        storage.v_pipeline.consumer_wait(v_read);
        wgmma_fence();
        multiply_v(out, weights, storage, v_read.index());
        wgmma_commit();
        order.arrive();
        wgmma_wait<1>();  // the scores are there
        storage.k_pipeline.consumer_release(k_read);
        settled(scores);
        upper.update(scores);
        lower.update(scores);
        wgmma_wait<0>();
        storage.v_pipeline.consumer_release(v_read);
        ++v_read;
        settled(out);
        upper.correct(out);
        lower.correct(out);
        round_weights(weights, scores);
    }
    storage.v_pipeline.consumer_wait(v_read);
    wgmma_fence();
    multiply_v(out, weights, storage, v_read.index());
    wgmma_commit();
    upper.finish();
    lower.finish();
    wgmma_wait<0>();
    storage.v_pipeline.consumer_release(v_read);
    settled(out);
    upper.correct(out);
    lower.correct(out);
}

// Through the buffer of the warpgroup's rows of Q, which nobody needs any more.
__device__ inline void store(SharedStorage& storage, const float (&out)[kAccumulators], const TensorMap& o, uint32_t warpgroup, uint32_t row) {
#pragma unroll
    for (uint32_t block = 0; block < kBlocks; ++block) write_block(storage.q[warpgroup][block], out, block);
    fence_proxy_async();
    warpgroup_sync(warpgroup);
    if (stores()) {
        for (uint32_t block = 0; block < kBlocks; ++block) {
            store_box(o, storage.q[warpgroup][block], block * kSwizzleColumns, row + warpgroup * kWarpgroupRows);
        }
        store_commit();
        store_wait<0>();
    }
}

extern "C" __global__ void __launch_bounds__((1 + kWarpgroups) * kWarpgroupThreads, 1)
    attention(const __grid_constant__ TensorMap q, const __grid_constant__ TensorMap k, const __grid_constant__ TensorMap v,
              const __grid_constant__ TensorMap o, uint32_t tiles) {
    extern __shared__ __align__(1024) uint8_t shared[];
    auto& storage = *reinterpret_cast<SharedStorage*>(shared);
    if (threadIdx.x == 0) {
        storage.k_pipeline.init(kWarpgroups * kWarpgroupWarps);
        storage.v_pipeline.init(kWarpgroups * kWarpgroupWarps);
        storage.q_full.init(1);
        storage.order.init(kWarpgroupWarps);
        fence_mbarrier_init();
    }
    __syncthreads();

    const uint32_t first = blockIdx.y * tiles * kTile;  // of the head's rows
    const uint32_t row = first + blockIdx.x * kWarpgroups * kWarpgroupRows;
    if (warpgroup_index() == 0) {
        give_up_registers<40>();
        if (threadIdx.x < 32 && elect_one()) {
            auto k_write = KPipeline::producer_start();
            auto v_write = VPipeline::producer_start();
            load_q(storage, q, row);
            for (uint32_t tile = 0; tile < tiles; ++tile, ++k_write, ++v_write) {
                load_k(storage, k, k_write, first + tile * kTile);
                load_v(storage, v, v_write, first + tile * kTile);
            }
            storage.k_pipeline.producer_tail(k_write);
            storage.v_pipeline.producer_tail(v_write);
        }
    } else {
        take_registers<232>();
        const uint32_t warpgroup = warpgroup_index() - 1;
        float out[kAccumulators] = {};
        attend(storage, out, warpgroup, tiles);
        store(storage, out, o, warpgroup, row);
    }
}
