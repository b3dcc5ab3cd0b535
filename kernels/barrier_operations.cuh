// The mbarrier operations the pipeline itself has no use for, so that a conformance run reaches all of them.
//
// Addresses are shared-memory windows: `local` ones of the own CTA, `remote` ones made by map_to_cta. Remote operations
// return no token. Source: PTX ISA, chapter "mbarrier".
#pragma once

#include "mbarrier.cuh"

// The address, in the cluster's window, of the object at the same offset in another CTA of the cluster.
__device__ inline uint32_t map_to_cta(uint32_t local, uint32_t cta) {
    uint32_t remote;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(local), "r"(cta));
    return remote;
}

__device__ inline uint32_t cta_rank_in_cluster() {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Every thread of the cluster meets; what happened before it, in either CTA, is seen after it.
__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The own CTA's barrier at `local`: operations that give tokens, and waits.
struct LocalOperations {
    uint32_t local;

    __device__ void inval() const { asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(local) : "memory"); }

    // A run-time count of 0 changes nothing and returns the live word: outside PTX, observed on H200.
    __device__ uint64_t arrive(uint32_t count) const {
        uint64_t token;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(local), "r"(count)
                     : "memory");
        return token;
    }

    __device__ uint64_t arrive_no_complete(uint32_t count) const {
        uint64_t token;
        asm volatile("mbarrier.arrive.noComplete.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(local), "r"(count)
                     : "memory");
        return token;
    }

    __device__ uint64_t arrive_drop(uint32_t count) const {
        uint64_t token;
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(local), "r"(count)
                     : "memory");
        return token;
    }

    __device__ uint64_t arrive_drop_no_complete(uint32_t count) const {
        uint64_t token;
        asm volatile("mbarrier.arrive_drop.noComplete.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(local), "r"(count)
                     : "memory");
        return token;
    }

    __device__ void complete_transaction(uint32_t bytes) const {
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(local), "r"(bytes) : "memory");
    }

    // The hardware arrives once this thread's cp.async so far are done; pending goes up by one first, so that the
    // arrival counts for nothing in the end. With .noinc it counts as any other.
    __device__ void cp_async_arrive() const {
        asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(local) : "memory");
    }

    __device__ void cp_async_arrive_noinc() const {
        asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(local) : "memory");
    }

    __device__ bool test_wait(uint64_t token) const {
        uint32_t passed;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(local), "l"(token)
                     : "memory");
        return passed != 0;
    }

    __device__ bool try_wait(uint64_t token) const {
        uint32_t passed;
        asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(local), "l"(token)
                     : "memory");
        return passed != 0;
    }

    __device__ bool test_wait_parity(uint32_t parity) const {
        uint32_t passed;
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(passed)
                     : "r"(local), "r"(parity)
                     : "memory");
        return passed != 0;
    }
};

// Another CTA's barrier at `remote`.
struct RemoteOperations {
    uint32_t remote;

    __device__ void arrive(uint32_t count) const {
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(remote), "r"(count)
                     : "memory");
    }

    __device__ void arrive_drop(uint32_t count) const {
        asm volatile("mbarrier.arrive_drop.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(remote), "r"(count)
                     : "memory");
    }

    __device__ void arrive_and_expect_tx(uint32_t bytes) const {
        asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(remote),
                     "r"(bytes)
                     : "memory");
    }

    __device__ void expect_transaction(uint32_t bytes) const {
        asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(remote), "r"(bytes)
                     : "memory");
    }

    __device__ void complete_transaction(uint32_t bytes) const {
        asm volatile("mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%0], %1;" ::"r"(remote), "r"(bytes)
                     : "memory");
    }
};

constexpr uint32_t CHUNK_BYTES = 16;

// One cp.async by this thread, which is no bulk copy: no barrier hears of it by itself.
__device__ inline void copy_chunk(uint32_t destination, const void* source) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(source) : "memory");
}

// One bulk copy of `bytes` (a multiple of 16) into the own CTA; the copy engine does complete_tx on the barrier.
__device__ inline void copy_bulk(uint32_t destination, const void* source, uint32_t bytes, uint32_t barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     destination),
                 "l"(source), "r"(bytes), "r"(barrier)
                 : "memory");
}

// The same into every CTA named in `cta_mask`, each with the barrier at the same offset.
__device__ inline void copy_bulk_multicast(uint32_t destination, const void* source, uint32_t bytes, uint32_t barrier,
                                           uint16_t cta_mask) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::
            "r"(destination),
        "l"(source), "r"(bytes), "r"(barrier), "h"(cta_mask)
        : "memory");
}
