// The lesson's kernel: a ring of STAGES buffers between one producer warp, which issues TMA copies, and consumer warps.
//
// Each stage has two barriers. full[s] completes when the producer has arrived and the copy's bytes have landed;
// empty[s] completes when every consumer has released the stage. Compile with
//   -DPHASESCOPE_STAGES=1..8, -DPHASESCOPE_CONSUMER_WARPS=1..15, -DPHASESCOPE_TILE_BYTES=1024..,
//   -DPHASESCOPE_LOG=0..4 (off, phases, standard, full, words: clock_log.cuh),
//   -DPHASESCOPE_EXACT=0|1 (compare every value, or only sum them),
//   -DPHASESCOPE_RING=0|1 (the log keeps the last records, not the first), -DPHASESCOPE_BOUND=0|1 (waits give up: watchdog.cuh),
//   -DPHASESCOPE_FAULT=0 (none) or one of faults.cuh,
//   -DPHASESCOPE_PROBE=0 (off), 1 or 2 of word_probe.cuh.
#include "lesson_params.cuh"
#include "pipeline.cuh"
#include "tile.cuh"
#include "word_probe.cuh"

constexpr uint32_t kStages = PHASESCOPE_STAGES;
constexpr Level kLevel = static_cast<Level>(PHASESCOPE_LOG);
template <Level level>
struct LogOf {
    using Type = ClockLog<level>;
};
template <>
struct LogOf<Level::Off> {
    using Type = NoLog;
};
template <>
struct LogOf<Level::Words> {
    using Type = BarrierLog;
};
#ifndef PHASESCOPE_LOG_TYPE  // benchmarks/log_attempts.cu compiles others in
#define PHASESCOPE_LOG_TYPE LogOf<kLevel>::Type
#endif
using Log = PHASESCOPE_LOG_TYPE;
using Pipeline = PipelineTmaAsync<kStages, Log>;
static_assert(kProbeThreads == 0 || Log::enabled, "a probe ends when the log says that all agents have left");

extern "C" __global__ void __launch_bounds__(kMostThreads, 1)
    async_pipeline(const __grid_constant__ TensorMap source, const __grid_constant__ LessonParams params) {
    // Barriers first, because a mbarrier needs 8-byte alignment; then the stage buffers, aligned to 128 bytes.
    extern __shared__ __align__(1024) uint8_t shared[];
    auto& storage = *reinterpret_cast<Pipeline::SharedStorage*>(in_register(shared));
    uint8_t* const buffers = in_register(shared + params.data_offset);
    constexpr uint32_t buffer_bytes = PHASESCOPE_TILE_BYTES;
    auto& control = *reinterpret_cast<Control*>(buffers + kStages * buffer_bytes);

    const uint32_t warp = threadIdx.x / 32;
    const bool is_producer = warp == 0;
    Log log(log_memory(params));
    Watchdog<Log> watchdog(control, log, params.watchdog_ns, &params.status[blockIdx.x], &params.anchors[2 * blockIdx.x + 1]);
    Pipeline pipeline(storage, {in_register(params.transaction_bytes), params.arrive_per_warp != 0}, log, watchdog);

    if (threadIdx.x == 0) {
        if constexpr (Log::enabled) params.anchors[2 * blockIdx.x] = take_anchor();
        control = {};
        init_barriers(storage, params.full_init, params.empty_init, log);
        fence_barrier_init(log);
    }
    __syncthreads();
    if (probe(storage, control)) return;
    log.start();

    if (is_producer) {
        auto pipe_write = make_producer_start_state<kStages>(params.producer_phase);
        const uint32_t boxes = in_register(boxes_per_tile(params)), bytes = in_register(box_bytes(params));
        const uint32_t delay = in_register(params.producer_delay);
        SourceColumn column(params);
        for (uint32_t tile = 0; tile < producer_tiles(params.tiles); ++tile) {
            tile += work_for(delay);
            pipeline.producer_acquire(pipe_write);
            if (elect_one() && copies(tile)) {
                auto& full = pipeline.producer_get_barrier(pipe_write);
                uint8_t* const buffer = buffers + pipe_write.index() * buffer_bytes;
#pragma unroll 1
                for (uint32_t box = 0; box < boxes; ++box) {
                    tma_load(source, full, buffer, box, column.first(), bytes, pipe_write, log);
                }
            }
            __syncwarp();
            log.issued();
            ++pipe_write, log.advance(pipe_write, tile);
            ++column;
        }
        pipeline.producer_tail(pipe_write);
        log.finish();
        log.exit_producer();
        watchdog.leave();
    } else {
        PipelineState<kStages> pipe_read(0, params.consumer_phase, 0);
        const uint32_t delay = in_register(params.consumer_delay);
        uint32_t result = 0;
        for (uint32_t tile = 0; tile < consumer_tiles(params.tiles); ++tile) {
            // Before the wait, while there is nothing else to do.
            const uint32_t first = worked_out(first_chunk(buffers + pipe_read.index() * buffer_bytes));
            pipeline.consumer_wait(pipe_read);
            result += read_tile(first, pipe_read, delay, params, log);
            if (releases<kStages>(tile, warp)) pipeline.consumer_release(released<kStages>(pipe_read));
            ++pipe_read, log.advance(pipe_read, tile);
        }
        log.finish();
        report(result, params);
        log.exit_consumer();
        watchdog.leave();
    }
}

// Takes anchors and nothing else, `span_ns` apart: calibrates the SMs' clocks over longer than a short kernel lasts.
extern "C" __global__ void calibrate_clock(Anchor* anchors, uint64_t span_ns) {
    anchors[2 * blockIdx.x] = take_anchor();
    const uint64_t start = read_globaltimer();
    while (read_globaltimer() - start < span_ns) __nanosleep(1000);
    anchors[2 * blockIdx.x + 1] = take_anchor();
}

// Writes `records` records from one consumer warp that does nothing else: what one costs the warp, in cycles of its SM.
extern "C" __global__ void calibrate_record(const __grid_constant__ LessonParams params, uint32_t records, uint64_t* cycles) {
    if (threadIdx.x < 32 || (kProbeThreads && threadIdx.x >= agent_threads())) return;
    Log log(log_memory(params));
    const uint64_t begin = read_clock();
    for (uint32_t tile = 0; tile < records; ++tile) {
        log.testing(On::Full);
        log.passed(false);
        log.releasing();
        log.advance(PipelineState<kStages>(0, 0, tile), tile);
    }
    *cycles = read_clock() - begin;
}
