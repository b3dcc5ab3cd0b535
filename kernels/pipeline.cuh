// PipelineTmaAsync with CUTLASS's semantics and member names, each call logged at its caller's line.
//
// Source: CUTLASS 4.2, cutlass/pipeline/sm90_pipeline.hpp; cluster shape 1x1.
#pragma once

#include "faults.cuh"
#include "pipeline_state.cuh"
#include "watchdog.cuh"

template <uint32_t Stages, class Log>
class PipelineTmaAsync {
public:
    struct SharedStorage {
        ClusterTransactionBarrier full_barrier[Stages];
        ClusterBarrier empty_barrier[Stages];
    };

    struct Params {
        uint32_t transaction_bytes;
        bool arrive_per_warp;  // consumers: one lane a warp arrives, not every thread
    };

    __device__ PipelineTmaAsync(SharedStorage& storage, Params params, Log& log, Watchdog<Log>& watchdog)
        : storage_(storage),
          params_(params),
          arrives_(in_register(!params.arrive_per_warp || threadIdx.x % 32 == 0)),
          log_(log),
          watchdog_(watchdog) {}

    // Waits until the stage is empty; then the leader arrives on full and expects the bytes, *before* the copy is
    // issued: pending is 0 then while bytes are outstanding, so the phase stays open until the copy has landed.
    __device__ void producer_acquire(PipelineState<Stages> state, uint32_t line = __builtin_LINE()) {
        if constexpr (kFault != Fault::NoProducerAcquire) wait(On::Empty, state, state.phase(), state.count(), line);
        if (elect_one()) {
            ClusterTransactionBarrier& full = storage_.full_barrier[state.index()];
            Event event{.tile = state.count(),
                        .amount = params_.transaction_bytes,
                        .kind = Kind::ArriveExpectTx,
                        .stage = static_cast<uint8_t>(state.index()),
                        .barrier = On::Full,
                        .flags = kHasToken};
            const uint64_t clock = log_.clock();
            if constexpr (kFault == Fault::ExpectTxWithoutArrive) {
                full.expect_transaction(params_.transaction_bytes);
                event.kind = Kind::ExpectTx;
                event.flags = 0;
            } else {
                event.token = full.arrive_and_expect_tx(params_.transaction_bytes);
            }
            log_.write(clock, line, event);
        }
        log_.copying();
    }

    // The barrier to bind the copy to: the copy engine does complete_tx on it.
    __device__ ClusterTransactionBarrier& producer_get_barrier(PipelineState<Stages> state) {
        return storage_.full_barrier[state.index()];
    }

    // Waits until every stage is empty again, so that the producer does not leave while consumers still read.
    __device__ void producer_tail(PipelineState<Stages> state, uint32_t line = __builtin_LINE()) {
        for (uint32_t stage = 0; stage < Stages; ++stage) {
            wait(On::Empty, state, state.phase(), kNoTile, line);
            log_.issued();
            ++state;
            log_.advance(state, kNoTile, line);
        }
    }

    __device__ void consumer_wait(PipelineState<Stages> state, uint32_t line = __builtin_LINE()) {
        wait(On::Full, state, consumer_parity<Stages>(state), state.count(), line);
    }

    // Every consumer thread arrives on empty, or one lane of each warp once all its lanes have read.
    // The lanes of a warp that arrive in one instruction arrive as one: every lane gets the same token, the word before
    // all of them, in any pattern of lanes [H200]. So lane 0's token orders the warp's arrivals as a whole.
    __device__ void consumer_release(PipelineState<Stages> state, uint32_t line = __builtin_LINE()) {
        log_.releasing();
        __syncwarp();  // all lanes have read; and they arrive in one instruction
        const uint64_t clock = log_.clock();
        uint64_t token = 0;
        uint32_t arriving = 0;
        if (arrives_ != 0) {
            arriving = __popc(__activemask());
            token = storage_.empty_barrier[state.index()].arrive();
        }
        log_.write(clock, line,
                   {.token = token,
                    .tile = state.count(),
                    .amount = arriving,
                    .kind = Kind::Arrive,
                    .stage = static_cast<uint8_t>(state.index()),
                    .barrier = On::Empty,
                    .flags = kHasToken});
    }

private:
    __device__ void wait(On barrier, PipelineState<Stages> state, uint32_t parity, uint32_t tile, uint32_t line) {
        Event event{.tile = tile,
                    .kind = Kind::WaitBegin,
                    .stage = static_cast<uint8_t>(state.index()),
                    .barrier = barrier,
                    .parity = static_cast<uint8_t>(parity)};
        log_.write(log_.clock(), line, event);
        ClusterBarrier& waited =
            barrier == On::Full ? storage_.full_barrier[state.index()] : storage_.empty_barrier[state.index()];
        event.kind = Kind::WaitEnd;
        const bool blocked = watchdog_.wait(waited, event, line);
        event.flags = blocked ? kBlocked : 0;
        log_.passed(blocked);
        log_.write(log_.clock(), line, event);
    }

    SharedStorage& storage_;
    Params params_;
    uint32_t arrives_;  // 0, or this thread of a consumer arrives
    Log& log_;
    Watchdog<Log>& watchdog_;
};
