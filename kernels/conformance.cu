// Executes encoded sequences of mbarrier operations, so that a host can compare silicon with visualizer/semantics.
//
// One sequence is one CTA, or one cluster of two. Every thread walks through all steps; the step's agent carries it out
// while the others wait for it, so the order is the order in memory. The encoding is that of
// visualizer/sources/conformance/steps.py.
#include "barrier_operations.cuh"

enum class Operation : uint8_t {
    init,
    inval,
    arrive,
    arrive_no_complete,
    arrive_drop,
    arrive_drop_no_complete,
    arrive_expect_tx,
    expect_tx,
    complete_tx,
    test_wait,
    test_wait_parity,
    try_wait,
    try_wait_parity,
    read,
    copy,
    settle,
    cp_async_arrive,
    cp_async_arrive_noinc,
};

struct alignas(8) Step {
    Operation operation;
    uint8_t agent;   // bit 7: CTA of the cluster; the rest: warp
    uint8_t target;  // bit 7: CTA of the cluster; the rest: byte offset of the barrier
    uint8_t lanes;   // how many lanes carry it out together; for a copy: the mask of destination CTAs, 0 for the own
    uint32_t operand;
};

constexpr uint32_t BARRIER_BYTES = 64;
constexpr uint32_t COPY_BYTES = 16384;
constexpr uint32_t MOST_CHUNKS = 8;  // of a lane
constexpr uint32_t SETTLE_POLLS = 100000;  // some 10 ms; a copy takes about 1 us

struct Interpreter {
    uint32_t barriers;  // shared-memory addresses
    uint32_t buffer;
    const void* source;
    uint32_t cta;

    // Returns the token, the word, or 0 or 1 for a wait; 0 where there is nothing to tell.
    __device__ uint64_t carry_out(const Step& step, const uint64_t* results) const {
        const uint32_t address = barriers + (step.target & 0x7F);
        if (step.target >> 7 != cta) return carry_out_remotely(step, map_to_cta(address, step.target >> 7));
        auto& barrier = *static_cast<ClusterTransactionBarrier*>(__cvta_shared_to_generic(address));
        const LocalOperations local{address};
        const uint32_t operand = step.operand;
        switch (step.operation) {
            case Operation::init:
                barrier.init(operand);
                fence_mbarrier_init();
                return 0;
            case Operation::inval: local.inval(); return 0;
            case Operation::arrive: return local.arrive(operand);
            case Operation::arrive_no_complete: return local.arrive_no_complete(operand);
            case Operation::arrive_drop: return local.arrive_drop(operand);
            case Operation::arrive_drop_no_complete: return local.arrive_drop_no_complete(operand);
            case Operation::arrive_expect_tx: return barrier.arrive_and_expect_tx(operand);
            case Operation::expect_tx: barrier.expect_transaction(operand); return 0;
            case Operation::complete_tx: local.complete_transaction(operand); return 0;
            case Operation::test_wait: return local.test_wait(results[operand]);
            case Operation::test_wait_parity: return barrier.test_wait(operand);
            case Operation::try_wait: return local.try_wait(results[operand]);
            case Operation::try_wait_parity: return barrier.try_wait(operand);
            case Operation::read: return local.arrive(0);
            case Operation::copy:
                if (step.lanes == 0) {
                    copy_bulk(buffer, source, operand, address);
                } else {
                    copy_bulk_multicast(buffer, source, operand, address, step.lanes);
                }
                return 0;
            case Operation::settle: return settle(local, operand);
            case Operation::cp_async_arrive:
                copy_chunks(operand);
                local.cp_async_arrive();
                return local.arrive(0);  // the word while the copies are under way
            case Operation::cp_async_arrive_noinc:
                copy_chunks(operand);
                local.cp_async_arrive_noinc();
                return local.arrive(0);
        }
        return 0;
    }

    __device__ uint64_t carry_out_remotely(const Step& step, uint32_t address) const {
        const RemoteOperations remote{address};
        switch (step.operation) {
            case Operation::arrive: remote.arrive(step.operand); break;
            case Operation::arrive_drop: remote.arrive_drop(step.operand); break;
            case Operation::arrive_expect_tx: remote.arrive_and_expect_tx(step.operand); break;
            case Operation::expect_tx: remote.expect_transaction(step.operand); break;
            case Operation::complete_tx: remote.complete_transaction(step.operand); break;
            // Outside the definition: a wait is legal on the own CTA's barriers only.
            case Operation::test_wait_parity: return LocalOperations{address}.test_wait_parity(step.operand);
            default: break;
        }
        return 0;
    }

    // This lane's own cp.async, into its own bytes.
    __device__ void copy_chunks(uint32_t chunks) const {
        const uint32_t own = buffer + threadIdx.x % 32 * MOST_CHUNKS * CHUNK_BYTES;
        for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
            copy_chunk(own + chunk * CHUNK_BYTES, static_cast<const uint8_t*>(source) + chunk * CHUNK_BYTES);
        }
    }

    // Copies complete on their own time: read until the state half of the word is as foretold, or for long enough.
    __device__ uint64_t settle(const LocalOperations& barrier, uint32_t foretold) const {
        uint64_t word = 0;
        for (uint32_t poll = 0; poll < SETTLE_POLLS; ++poll) {
            word = barrier.arrive(0);
            if (static_cast<uint32_t>(word >> 32) == foretold) break;
        }
        return word;
    }
};

struct NoSync {
    __device__ void operator()() const {}
};
struct CtaSync {
    __device__ void operator()() const { __syncthreads(); }
};
struct ClusterSync {
    __device__ void operator()() const {
        __syncwarp();  // the barrier wants whole warps
        cluster_sync();
    }
};

template <class Sync>
__device__ void execute(const Step* steps, const uint64_t* begins, uint64_t* results, const void* source,
                        uint32_t sequence, uint32_t cta, Sync sync) {
    __shared__ alignas(128) uint8_t buffer[COPY_BYTES];
    __shared__ alignas(8) uint8_t barriers[BARRIER_BYTES];
    const Interpreter interpreter{shared_address(barriers), shared_address(buffer), source, cta};
    const uint8_t agent = static_cast<uint8_t>(cta << 7 | threadIdx.x / 32);
    const uint32_t lane = threadIdx.x % 32;
    const uint64_t begin = begins[sequence];
    sync();
    for (uint64_t index = begin; index < begins[sequence + 1]; ++index) {
        const Step step = steps[index];
        const uint32_t lanes = step.operation == Operation::copy ? 1 : step.lanes;
        if (step.agent == agent && lane < lanes) {
            const uint64_t result = interpreter.carry_out(step, results + begin);
            if (lane == lanes - 1) results[index] = result;
        }
        sync();
    }
}

extern "C" __global__ void one_thread(const Step* steps, const uint64_t* begins, uint64_t* results,
                                      const void* source) {
    execute(steps, begins, results, source, blockIdx.x, 0, NoSync{});
}

extern "C" __global__ void several_warps(const Step* steps, const uint64_t* begins, uint64_t* results,
                                         const void* source) {
    execute(steps, begins, results, source, blockIdx.x, 0, CtaSync{});
}

extern "C" __global__ __cluster_dims__(2, 1, 1) void two_ctas(const Step* steps, const uint64_t* begins,
                                                              uint64_t* results, const void* source) {
    execute(steps, begins, results, source, blockIdx.x / 2, cta_rank_in_cluster(), ClusterSync{});
}
