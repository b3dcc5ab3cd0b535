// What a Hopper warpgroup - four warps in a row, 128 threads - does together: wgmma, and changing its registers' number.
//
// Sources: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions" and "setmaxnreg".
// One shape, m64n128k16, halves in and floats out. Of the 64x128 results, a thread holds those d[i] with
//   row    = 16 * (warp of the warpgroup) + lane / 4 + (i & 2 ? 8 : 0)
//   column = 8 * (i / 4) + 2 * (lane % 4) + (i & 1)
#pragma once

#include "mbarrier.cuh"

constexpr uint32_t kWarpgroupThreads = 128;
constexpr uint32_t kWarpgroupWarps = 4;
constexpr uint32_t kWarpgroupRows = 64;  // of a wgmma
constexpr uint32_t kWarpgroupColumns = 128;  // of this shape
constexpr uint32_t kAccumulators = 64;       // of a thread: 64x128 over 128 threads
constexpr uint32_t kSwizzleColumns = 64;     // halves in 128 bytes, the span of the swizzle
constexpr uint32_t kRowBytes = 128;
constexpr uint32_t kDepth = 16;  // halves of K in one wgmma

// The same in all lanes, and the compiler knows.
__device__ inline uint32_t warpgroup_index() {
    return __shfl_sync(0xffffffffu, threadIdx.x / kWarpgroupThreads, 0);
}

// Registers of each thread from here on; every warp of the warpgroup calls it. What one gives up, others can take.
template <uint32_t Registers>
__device__ inline void give_up_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Registers));
}
template <uint32_t Registers>
__device__ inline void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Registers));
}

// A __syncthreads of one warpgroup; barrier 0 is __syncthreads' own.
__device__ inline void warpgroup_sync(uint32_t warpgroup) {
    asm volatile("bar.sync %0, %1;" ::"r"(warpgroup + 1), "n"(kWarpgroupThreads) : "memory");
}

// A matrix in shared memory as TMA leaves it with the 128-byte swizzle: rows of 128 bytes, aligned to 1024 bytes.
// `stride`: bytes from eight rows to the next eight. `leading`: bytes from 64 columns to the next 64, where the columns
// are not those that are summed over.
__device__ inline uint64_t matrix(uint32_t address, uint32_t leading, uint32_t stride) {
    constexpr uint64_t swizzle_128_bytes = 1ull << 62;
    return (address & 0x3ffff) >> 4 | static_cast<uint64_t>(leading >> 4) << 16 | static_cast<uint64_t>(stride >> 4) << 32 |
           swizzle_128_bytes;
}

// Rows are summed along: A of M rows, or B of N rows ("K-major"). One wgmma takes 32 bytes of each row.
__device__ inline uint64_t k_major(const uint8_t* buffer) { return matrix(shared_address(buffer), 16, 8 * kRowBytes); }
constexpr uint64_t kNextKMajor = kDepth * 2 >> 4;  // to be added for the next 16 of K

// Columns are summed along: B of K rows, whose N columns lie in two blocks of 64, `rows` rows each ("MN-major"). One wgmma
// takes 16 rows.
__device__ inline uint64_t n_major(const uint8_t* buffer, uint32_t rows) {
    return matrix(shared_address(buffer), rows * kRowBytes, 8 * kRowBytes);
}
constexpr uint64_t kNextNMajor = kDepth * kRowBytes >> 4;

// Before a wgmma that uses registers which something else wrote to.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until at most Keep groups are under way.
template <uint32_t Keep>
__device__ inline void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Keep) : "memory");
}

// The compiler knows nothing of a wgmma under way: what is done with its results after a wait stays after it.
__device__ inline void settled(float (&d)[kAccumulators]) {
#pragma unroll
    for (uint32_t i = 0; i < kAccumulators; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

#define PHASESCOPE_D8(d, i)                                                                                            \
    "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]),          \
        "+f"(d[i + 7])
#define PHASESCOPE_D64(d)                                                                                              \
    PHASESCOPE_D8(d, 0), PHASESCOPE_D8(d, 8), PHASESCOPE_D8(d, 16), PHASESCOPE_D8(d, 24), PHASESCOPE_D8(d, 32),          \
        PHASESCOPE_D8(d, 40), PHASESCOPE_D8(d, 48), PHASESCOPE_D8(d, 56)
#define PHASESCOPE_RESULTS                                                                                             \
    "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, "    \
    "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "     \
    "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"

// d = a * b, or += : A and B in shared memory, both K-major.
__device__ inline void wgmma(float (&d)[kAccumulators], uint64_t a, uint64_t b, bool adds) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, %66, 0;"
        " wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " PHASESCOPE_RESULTS ", %64, %65, adds, 1, 1, 0, 0; }"
        : PHASESCOPE_D64(d)
        : "l"(a), "l"(b), "r"(static_cast<uint32_t>(adds)));
}

// d += a * b: A in registers, two halves in each, laid out like d; B N-major.
__device__ inline void wgmma(float (&d)[kAccumulators], const uint32_t (&a)[4], uint64_t b) {
    asm volatile(
        "{ .reg .pred adds; setp.ne.b32 adds, 1, 0;"
        " wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 " PHASESCOPE_RESULTS
        ", {%64, %65, %66, %67}, %68, adds, 1, 1, 1; }"
        : PHASESCOPE_D64(d)
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#undef PHASESCOPE_D8
#undef PHASESCOPE_D64
#undef PHASESCOPE_RESULTS

// Two floats as halves in one register, `low` in the lower.
__device__ inline uint32_t as_halves(float low, float high) {
    uint32_t both;
    asm volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}
