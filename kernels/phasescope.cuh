// Names for what a kernel has, so that a recording calls it as its source does: barrier arrays, rings, roles, ranges.
//
// Each macro declares a register that nothing uses, which is no instruction: the machine code is the same with and without it.
// When the kernel is attached to (`phasescope attach`), that is where a name is recorded. No dependency; copy this file into your
// project. A name is a literal of letters, digits and `_`, at most 60, no digit first. docs/header.md.
//
//   PHASESCOPE_BARRIER("K_full");  full[s].init(1);      // right before the mbarrier.init: the array that it belongs to;
//   PHASESCOPE_BARRIER("K_empty"); empty[s].init(WARPS); // `full` and `empty` of one name are a ring
//   PHASESCOPE_ROLE("producer");                  // of the warp that comes here: producer, consumer, mma, epilogue, or your word
//   { PHASESCOPE_RANGE("softmax"); ... }          // until the end of the block
//   PHASESCOPE_BEGIN("load"); ... PHASESCOPE_END("load");
//
// SPDX-License-Identifier: MIT
#pragma once

#if defined(__CUDA_ARCH__)

#define PHASESCOPE_BARRIER(name) asm volatile("{ .reg .b32 phasescope_barrier_" name "; }")
#define PHASESCOPE_ROLE(name) asm volatile("{ .reg .b32 phasescope_role_" name "; }")
#define PHASESCOPE_BEGIN(name) asm volatile("{ .reg .b32 phasescope_begin_" name "; }")
#define PHASESCOPE_END(name) asm volatile("{ .reg .b32 phasescope_end_" name "; }")

#define PHASESCOPE_RANGE_IN(name, line)                              \
    PHASESCOPE_BEGIN(name);                                          \
    struct PhasescopeRange##line {                                   \
        __device__ __forceinline__ ~PhasescopeRange##line() {        \
            PHASESCOPE_END(name);                                    \
        }                                                            \
    } const phasescope_range_##line
#define PHASESCOPE_RANGE_AT(name, line) PHASESCOPE_RANGE_IN(name, line)
#define PHASESCOPE_RANGE(name) PHASESCOPE_RANGE_AT(name, __LINE__)

#else

#define PHASESCOPE_BARRIER(name) static_cast<void>(0)
#define PHASESCOPE_ROLE(name) static_cast<void>(0)
#define PHASESCOPE_BEGIN(name) static_cast<void>(0)
#define PHASESCOPE_END(name) static_cast<void>(0)
#define PHASESCOPE_RANGE(name) static_cast<void>(0)

#endif
