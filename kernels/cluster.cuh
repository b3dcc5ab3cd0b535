// What CTAs of a cluster do to each other besides arriving: meet, and write one copy into all of their shared memories.
//
// Source: PTX ISA, "barrier.cluster" and "cp.async.bulk.tensor".
#pragma once

#include "mbarrier.cuh"

__device__ inline uint32_t cta_in_cluster() {
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// A __syncthreads of all CTAs of the cluster.
__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// copy_box into the same place of each CTA whose bit is set in `ctas`; each gets all bytes, and the complete_tx for them
// on its barrier at the place of `full`.
__device__ inline void multicast_box(const TensorMap& map, ClusterTransactionBarrier& full, void* destination, uint32_t column,
                                     uint32_t row, uint16_t ctas) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%3, "
        "%4}], [%2], %5;" ::"r"(shared_address(destination)),
        "l"(&map), "r"(shared_address(&full)), "r"(column), "r"(row), "h"(ctas)
        : "memory");
}
