// PipelineTmaAsync and OrderedSequenceBarrier with CUTLASS's semantics and member names, and nothing logged: what the
// kernels are made of that `phasescope attach` records. -DPHASESCOPE_FAULT=0 or one of the mistakes below.
//
// Source: CUTLASS 4.2, cutlass/pipeline/sm90_pipeline.hpp.
#pragma once

#include "pipeline_state.cuh"

// The numbers are those of docs/programs.md (F06 is 6). Every one of them ends in a hang.
enum class Fault {
    None = 0,
    EmptyInitTooLarge = 1,
    FullInitCountsThreads = 3,
    ProducerStartsWithParity0 = 6,
    ReleaseMissing = 20,
    ReleasedInOwnCtaOnly = 31,
    NobodyHasTheTurn = 48,
};
constexpr Fault kFault = static_cast<Fault>(PHASESCOPE_FAULT);

__device__ inline uint32_t lane_index() { return threadIdx.x % 32; }

// A ring of Stages buffers, as its barriers lie in shared memory. One thread produces; one lane of each consumer warp
// releases a stage, to each of the Ctas that filled it.
template <uint32_t Stages, uint32_t Ctas = 1>
struct PipelineTmaAsync {
    using State = PipelineState<Stages>;

    ClusterTransactionBarrier full_barrier[Stages];
    ClusterBarrier empty_barrier[Stages];

    // One thread, before fence_mbarrier_init. `consumer_warps` of one CTA.
    __device__ void init(uint32_t consumer_warps) {
        for (auto& barrier : full_barrier) barrier.init(kFault == Fault::FullInitCountsThreads ? 32 : 1);
        for (auto& barrier : empty_barrier) {
            barrier.init(consumer_warps * Ctas + (kFault == Fault::EmptyInitTooLarge ? 1 : 0));
        }
    }

    static __device__ State producer_start() {
        return make_producer_start_state<Stages>(kFault == Fault::ProducerStartsWithParity0 ? 0 : 1);
    }
    static __device__ State consumer_start() { return State(0, 0, 0); }

    __device__ void producer_acquire(const State& state, uint32_t transaction_bytes) {
        empty_barrier[state.index()].wait(state.phase());
        full_barrier[state.index()].arrive_and_expect_tx(transaction_bytes);
    }

    __device__ ClusterTransactionBarrier& producer_get_barrier(const State& state) { return full_barrier[state.index()]; }

    // Until every stage has been released: a CTA of a cluster must not leave while others may still arrive on its barriers.
    __device__ void producer_tail(State state) {
        for (uint32_t stage = 0; stage < Stages; ++stage, ++state) empty_barrier[state.index()].wait(state.phase());
    }

    __device__ void consumer_wait(const State& state) { full_barrier[state.index()].wait(state.phase()); }

    // The whole warp, when all its lanes have read.
    __device__ void consumer_release(const State& state) {
        __syncwarp();
        const bool first_cta = blockIdx.x == 0 && blockIdx.y == 0;
        if (kFault == Fault::ReleaseMissing && first_cta && threadIdx.x / 32 == 4 && state.count() == 1) return;
        ClusterBarrier& empty = empty_barrier[state.index()];
        if constexpr (Ctas == 1 || kFault == Fault::ReleasedInOwnCtaOnly) {
            if (lane_index() == 0) empty.arrive();
        } else {
            if (lane_index() < Ctas) empty.arrive(lane_index());
        }
    }
};

// Groups of warps take turns: group 0 first, then each when the one before it has passed the turn on.
template <uint32_t Groups>
class OrderedSequenceBarrier {
public:
    struct SharedStorage {
        ClusterBarrier turn[Groups];

        __device__ void init(uint32_t warps_of_a_group) {
            for (auto& barrier : turn) barrier.init(warps_of_a_group);
        }
    };

    // A fresh barrier lets wait(1) pass: that makes group 0 the first.
    __device__ OrderedSequenceBarrier(SharedStorage& storage, uint32_t group)
        : storage_(storage), group_(group), phase_(group == 0 && kFault != Fault::NobodyHasTheTurn ? 1 : 0) {}

    __device__ void wait() {
        storage_.turn[group_].wait(phase_);
        phase_ ^= 1;
    }

    // One lane of each warp; the next group has its turn when all warps of this one are here.
    __device__ void arrive() {
        __syncwarp();
        if (lane_index() == 0) storage_.turn[(group_ + 1) % Groups].arrive();
    }

private:
    SharedStorage& storage_;
    uint32_t group_;
    uint32_t phase_;
};
