// Mistakes that can be compiled in, so that what they do can be seen on the GPU: -DPHASESCOPE_FAULT=8, 0 for none.
//
// The numbers are those of docs/programs.md (F08 is 8); the simulator makes the same mistakes in
// visualizer/programs/fault_changes.py. Mistakes in a count or a start phase need no code: they are parameters.
#pragma once

#include "mbarrier.cuh"

enum class Fault {
    None = 0,
    ParityNeverFlips = 8,
    ExpectTxWithoutArrive = 17,
    CopyPredicatedOff = 18,
    ReleaseMissing = 20,
    OneConsumerNeverReleases = 21,
    ReleasesLag = 24,
    ProducerHasNoTiles = 27,
    NoProducerAcquire = 28,
};
constexpr Fault kFault = static_cast<Fault>(PHASESCOPE_FAULT);

// How many tiles each role's loop runs over.
__device__ inline uint32_t producer_tiles(uint32_t tiles) { return kFault == Fault::ProducerHasNoTiles ? 0 : tiles; }
__device__ inline uint32_t consumer_tiles(uint32_t tiles) { return kFault == Fault::ProducerHasNoTiles ? 1 : tiles; }

// Whether the producer copies this tile.
__device__ inline bool copies(uint32_t tile) { return !(kFault == Fault::CopyPredicatedOff && tile == 2); }

// Whether consumer warp `warp` (1, 2, ...) of this CTA releases a stage at `tile`.
template <uint32_t Stages>
__device__ bool releases(uint32_t tile, uint32_t warp) {
    if (kFault == Fault::ReleaseMissing) return !(blockIdx.x == 0 && warp == 1 && tile == 1);
    if (kFault == Fault::OneConsumerNeverReleases) return !(blockIdx.x == 0 && warp == 2);
    if (kFault == Fault::ReleasesLag) return tile >= Stages;
    return true;
}

// The cursor of the stage that is released at `state`: its own, or the one a whole lap earlier.
template <uint32_t Stages, class State>
__device__ State released(const State& state) {
    if (kFault == Fault::ReleasesLag) return State(state.index(), state.phase() ^ 1, state.count() - Stages);
    return state;
}

// The parity a consumer waits with.
template <uint32_t Stages, class State>
__device__ uint32_t consumer_parity(const State& state) {
    if (kFault == Fault::ParityNeverFlips) return state.phase() ^ (state.count() / Stages & 1);
    return state.phase();
}
