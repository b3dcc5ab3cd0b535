// How many warps of a CTA are agents of the pipeline: all but the spare one that a probe needs (word_probe.cuh).
#pragma once

#include "mbarrier.cuh"

#ifndef PHASESCOPE_PROBE
#define PHASESCOPE_PROBE 0
#endif

enum class Probe { Off = 0, Words = 1, Flips = 2 };  // visualizer/trace/probe.py PROBES, in this order
constexpr Probe kProbe = static_cast<Probe>(PHASESCOPE_PROBE);

// The probe's warp is launched behind the agents', so that their numbers stay.
__device__ inline uint32_t agent_threads() { return kProbe == Probe::Off ? blockDim.x : blockDim.x - 32; }
__device__ inline uint32_t agent_warps() { return agent_threads() / 32; }
