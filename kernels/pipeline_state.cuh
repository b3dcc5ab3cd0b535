// PipelineState with CUTLASS's semantics and member names.
//
// Source: CUTLASS 4.2, cutlass/pipeline/sm90_pipeline.hpp.
#pragma once

#include "mbarrier.cuh"

// Where an agent is in the ring: the stage it is at, the phase bit it waits with, and how many tiles it has done.
// A cursor, not a barrier.
template <uint32_t Stages>
class PipelineState {
public:
    __device__ PipelineState(uint32_t index, uint32_t phase, uint32_t count)
        : index_(index), phase_(phase), count_(count) {}

    __device__ uint32_t index() const { return index_; }
    __device__ uint32_t phase() const { return phase_; }
    __device__ uint32_t count() const { return count_; }

    __device__ void operator++() {
        ++count_;
        if (++index_ == Stages) {
            index_ = 0;
            phase_ ^= 1;
        }
    }

    // Goes on by `tiles` at once, as by so many ++.
    __device__ void advance(uint32_t tiles) {
        phase_ ^= (index_ + tiles) / Stages & 1;
        index_ = (index_ + tiles) % Stages;
        count_ += tiles;
    }

private:
    uint32_t index_;
    uint32_t phase_;
    uint32_t count_;
};

// (0, phase 1, 0): buffers start empty, and wait(1) passes on a fresh barrier. Unlike CUTLASS's, the phase can be
// given, so that starting wrong can be shown.
template <uint32_t Stages>
__device__ PipelineState<Stages> make_producer_start_state(uint32_t phase = 1) {
    return PipelineState<Stages>(0, phase, 0);
}
