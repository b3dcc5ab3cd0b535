// A ring that a warp fills by cp.async: the hardware arrives on the full barrier for each lane when its copies are in.
// With -DNO_INC=1 these 32 arrivals are what the barrier expects; without .noinc they count for nothing, and one lane's
// own arrival is. Warp 0 produces, warp 1 adds up what it gets.
#include "mbarrier.cuh"

constexpr uint32_t kStages = 3, kWords = 128;  // of a stage: 16 bytes a lane

struct SharedStorage {
    uint4 tile[kStages][32];
    ClusterBarrier full[kStages], empty[kStages];
};

__device__ inline void copy_then_arrive(ClusterBarrier& full, void* destination, const void* source) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(destination)), "l"(source) : "memory");
#if NO_INC
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
#else
    asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(shared_address(&full)) : "memory");
    __syncwarp();
    if (threadIdx.x == 0) full.arrive();
#endif
}

extern "C" __global__ void cp_async_ring(const uint32_t* source, uint32_t* total, uint32_t tiles) {
    __shared__ SharedStorage storage;
    const uint32_t lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        for (auto& barrier : storage.full) barrier.init(NO_INC ? 32 : 1);
        for (auto& barrier : storage.empty) barrier.init(1);
        fence_mbarrier_init();
    }
    __syncthreads();
    uint32_t sum = 0;
    for (uint32_t tile = 0; tile < tiles; ++tile) {
        const uint32_t stage = tile % kStages, parity = tile / kStages & 1;
        if (threadIdx.x < 32) {
            storage.empty[stage].wait(parity ^ 1);
            copy_then_arrive(storage.full[stage], &storage.tile[stage][lane], source + tile * kWords + lane * 4);
        } else {
            storage.full[stage].wait(parity);
            const uint4 words = storage.tile[stage][lane];
            sum += words.x + words.y + words.z + words.w;
            __syncwarp();
            if (lane == 0) storage.empty[stage].arrive();
        }
    }
    if (threadIdx.x >= 32) atomicAdd(total, sum);
}
