// From a warpgroup's results to memory: as halves into a buffer in shared memory, and from there by TMA.
#pragma once

#include "warpgroup.cuh"

constexpr uint32_t kBlockBytes = kWarpgroupRows * kRowBytes;  // 64 rows of 64 halves: what one TMA store takes

// Columns 64 * block .. of the results, into a buffer aligned to 1024 bytes, swizzled as TMA expects it: of row r, the
// 16 bytes at column c lie at c ^ (r % 8). The eight rows that a warp writes at once fall on different banks so.
__device__ inline void write_block(uint8_t* buffer, const float (&d)[kAccumulators], uint32_t block) {
    const uint32_t lane = threadIdx.x % 32, row = threadIdx.x % kWarpgroupThreads / 32 * 16 + lane / 4;
    uint8_t* const at = buffer + row * kRowBytes + lane % 4 * 4;
#pragma unroll
    for (uint32_t chunk = 0; chunk < 8; ++chunk) {
        const uint32_t i = block * kAccumulators / 2 + chunk * 4;
        uint8_t* const swizzled = at + ((chunk ^ row % 8) << 4);
        *reinterpret_cast<uint32_t*>(swizzled) = as_halves(d[i], d[i + 1]);
        *reinterpret_cast<uint32_t*>(swizzled + 8 * kRowBytes) = as_halves(d[i + 2], d[i + 3]);
    }
}

// What threads wrote to shared memory becomes visible to TMA; a barrier of these threads must follow.
__device__ inline void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

__device__ inline void store_box(const TensorMap& map, const uint8_t* buffer, uint32_t column, uint32_t row) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(shared_address(buffer)), "r"(column), "r"(row)
                 : "memory");
}
// Of the thread's own stores, those since the last commit are a group.
__device__ inline void store_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
// Until all but the last Keep groups have read their buffers, which may be written to again then.
template <uint32_t Keep>
__device__ inline void store_wait() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Keep) : "memory");
}

// One thread of the warpgroup, and always the same one: its groups of stores are its own.
__device__ inline bool stores() { return threadIdx.x % kWarpgroupThreads == 0; }
