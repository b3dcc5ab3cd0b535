// A ring of bulk copies whose source names its parts (phasescope.cuh): what a recording shows of a kernel that can be touched.
//
// Warp 0 copies tiles of 1024 bytes into a ring of 3 stages, warp 1 adds up their words. -DWITHOUT_NAMES leaves the names out,
// so that tests can hold the machine code of both against each other.
#include "mbarrier.cuh"
#ifndef WITHOUT_NAMES
#include "phasescope.cuh"
#else
#define PHASESCOPE_BARRIER(name)
#define PHASESCOPE_ROLE(name)
#define PHASESCOPE_RANGE(name)
#endif

constexpr uint32_t STAGES = 3;
constexpr uint32_t TILE_BYTES = 1024;

extern "C" __global__ void named_ring(const uint32_t* tiles, uint32_t* sum, uint32_t count) {
    __shared__ alignas(128) uint32_t stage[STAGES][TILE_BYTES / 4];
    __shared__ ClusterTransactionBarrier full[STAGES];
    __shared__ ClusterBarrier empty[STAGES];
    if (threadIdx.x == 0) {
        for (uint32_t s = 0; s < STAGES; ++s) {
            PHASESCOPE_BARRIER("K_full");
            full[s].init(1);
            PHASESCOPE_BARRIER("K_empty");
            empty[s].init(1);
        }
        fence_mbarrier_init();
    }
    __syncthreads();

    if (threadIdx.x < 32) {
        PHASESCOPE_ROLE("producer");
        if (elect_one()) {
            for (uint32_t tile = 0; tile < count; ++tile) {
                const uint32_t s = tile % STAGES;
                const uint32_t lap = tile / STAGES;
                while (!empty[s].try_wait(lap & 1 ^ 1)) {
                }
                full[s].arrive_and_expect_tx(TILE_BYTES);
                asm volatile(
                    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                        shared_address(stage[s])),
                    "l"(tiles + tile * (TILE_BYTES / 4)), "r"(TILE_BYTES), "r"(shared_address(&full[s]))
                    : "memory");
            }
        }
    } else {
        PHASESCOPE_ROLE("consumer");
        uint32_t own = 0;
        for (uint32_t tile = 0; tile < count; ++tile) {
            const uint32_t s = tile % STAGES;
            while (!full[s].try_wait(tile / STAGES & 1)) {
            }
            {
                PHASESCOPE_RANGE("add");
                for (uint32_t word = threadIdx.x % 32; word < TILE_BYTES / 4; word += 32) {
                    own += stage[s][word];
                }
            }
            __syncwarp();
            if (elect_one()) {
                empty[s].arrive();
            }
        }
        atomicAdd(sum, own);
    }
}
