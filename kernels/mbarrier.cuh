// The PTX barrier primitives under CUTLASS's names, and nothing else: one instruction each.
//
// Sources: PTX ISA, chapter "mbarrier"; names from CUTLASS 4.2, cutlass/arch/barrier.h. Unlike CUTLASS, an arrive
// returns its token - the word before the arrive - because the recording orders arrivals by it. Barriers of the own CTA,
// but for the arrive that names another.
#pragma once

using uint8_t = unsigned char;
using uint16_t = unsigned short;
using uint32_t = unsigned int;
using uint64_t = unsigned long long;

// The shared-memory address of an object, as PTX operands want it.
__device__ inline uint32_t shared_address(const void* object) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(object));
}

// The value itself, but the compiler cannot know: it keeps it in a register. What it can find anew - a parameter, a special
// register - it fetches again for every tile, in one build and not in the next, and the times of builds cannot be compared.
// The whole warp must call it.
__device__ inline uint32_t in_register(uint32_t value) {
    return __shfl_sync(0xffffffffu, value, threadIdx.x % 32);
}

__device__ inline uint32_t* in_register(uint32_t* object) {
    const auto address = reinterpret_cast<uint64_t>(object);
    const uint64_t low = in_register(static_cast<uint32_t>(address));
    return reinterpret_cast<uint32_t*>(low | static_cast<uint64_t>(in_register(static_cast<uint32_t>(address >> 32))) << 32);
}

// The value itself, worked out here and not later: asm volatile blocks keep their order.
__device__ inline uint32_t worked_out(uint32_t value) {
    uint32_t same;
    asm volatile("mov.b32 %0, %1;" : "=r"(same) : "r"(value));
    return same;
}

__device__ inline uint8_t* in_register(uint8_t* shared_object) {
    return static_cast<uint8_t*>(__cvta_shared_to_generic(in_register(shared_address(shared_object))));
}

// empty[s]: completes a phase when all expected arrivals are in.
struct ClusterBarrier {
    uint64_t word;

    __device__ void init(uint32_t arrive_count) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrive_count)
                     : "memory");
    }

    __device__ uint64_t arrive() {
        uint64_t token;
        asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(shared_address(this)) : "memory");
        return token;
    }

    // Arrives on the barrier at the same place in CTA `cta` of the cluster; it may be the own one. There is no token.
    __device__ void arrive(uint32_t cta) {
        asm volatile(
            "{ .reg .b32 remote; mapa.shared::cluster.u32 remote, %0, %1;"
            " mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote]; }" ::"r"(shared_address(this)),
            "r"(cta)
            : "memory");
    }

    // True once the barrier's phase bit is no longer `parity`. Never suspends, so false tells that the wait blocks.
    __device__ bool test_wait(uint32_t parity) {
        uint32_t passed;
        asm volatile(
            "{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(passed)
            : "r"(shared_address(this)), "r"(parity)
            : "memory");
        return passed != 0;
    }

    // Like test_wait, but may sleep in hardware for a while before it answers false.
    __device__ bool try_wait(uint32_t parity) {
        uint32_t passed;
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
            : "=r"(passed)
            : "r"(shared_address(this)), "r"(parity)
            : "memory");
        return passed != 0;
    }

    __device__ void wait(uint32_t parity) {
        while (!try_wait(parity)) {
        }
    }
};

// full[s]: completes a phase when all arrivals *and* all expected bytes are in.
struct ClusterTransactionBarrier : ClusterBarrier {
    // The phase waits for so many bytes more. Not an arrival.
    __device__ void expect_transaction(uint32_t transaction_bytes) {
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)),
                     "r"(transaction_bytes)
                     : "memory");
    }

    // expect_tx, then one arrive, as one instruction: the phase cannot complete in between.
    __device__ uint64_t arrive_and_expect_tx(uint32_t transaction_bytes) {
        uint64_t token;
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
                     : "=l"(token)
                     : "r"(shared_address(this)), "r"(transaction_bytes)
                     : "memory");
        return token;
    }
};

// True in one thread of the warp, which all must call: lane 0 [H200], whose events the log takes. Unlike a comparison with
// threadIdx, it tells the compiler that one thread copies: it makes no loop over threads of a bulk copy.
__device__ inline bool elect_one() {
    uint32_t elected;
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(elected));
    return elected != 0;
}

// Publishes initialised barriers, to the copy engine too. A CTA-wide sync must follow.
__device__ inline void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// A CUtensorMap. NVRTC finds no host headers, so it is declared here by its size and alignment.
struct alignas(64) TensorMap {
    uint64_t opaque[16];
};

// One bulk tensor copy of a box at (column, row) into `destination`; the copy engine does complete_tx on `full`.
__device__ inline void copy_box(const TensorMap& map, ClusterTransactionBarrier& full, void* destination, int column,
                                int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            shared_address(destination)),
        "l"(&map), "r"(shared_address(&full)), "r"(column), "r"(row)
        : "memory");
}
