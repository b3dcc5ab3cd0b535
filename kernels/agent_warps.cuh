// How many warps of a CTA are agents of the pipeline: all but the spare one that a probe needs (word_probe.cuh).
#pragma once

#include "mbarrier.cuh"

#ifndef PHASESCOPE_PROBE
#define PHASESCOPE_PROBE 0
#endif

// An enum, because NVRTC puts constants into the PTX.
enum : uint32_t {
    kProbeThreads = PHASESCOPE_PROBE ? 32 : 0,
    kMostThreads = 512 + kProbeThreads,  // 15 consumer warps and a producer
};

// The probe's warp is launched behind the agents', so that their numbers stay.
__device__ inline uint32_t agent_threads() { return blockDim.x - kProbeThreads; }
__device__ inline uint32_t agent_warps() { return agent_threads() / 32; }
