// The lesson's kernel: a ring of STAGES buffers between one producer warp, which issues TMA copies, and consumer warps.
//
// Each stage has two barriers. full[s] completes when the producer has arrived and the copy's bytes have landed;
// empty[s] completes when every consumer has released the stage. Compile with
//   -DPHASESCOPE_STAGES=1..8, -DPHASESCOPE_LOG=0|1, -DPHASESCOPE_EXACT=0|1 (compare every value, or only sum them),
//   -DPHASESCOPE_FAULT=0 (none) or one of faults.cuh.
#include "lesson_params.cuh"
#include "pipeline.cuh"
#include "tile.cuh"

constexpr uint32_t kStages = PHASESCOPE_STAGES;
#if PHASESCOPE_LOG
using Log = BarrierLog;
#else
using Log = NoLog;
#endif
using Pipeline = PipelineTmaAsync<kStages, Log>;

extern "C" __global__ void async_pipeline(const __grid_constant__ TensorMap source,
                                          const __grid_constant__ LessonParams params) {
    // Barriers first, because a mbarrier needs 8-byte alignment; then the stage buffers, aligned to 128 bytes.
    extern __shared__ __align__(1024) uint8_t shared[];
    auto& storage = *reinterpret_cast<Pipeline::SharedStorage*>(shared);
    uint8_t* const buffers = shared + params.data_offset;
    auto& control = *reinterpret_cast<Control*>(buffers + kStages * tile_bytes(params));

    const uint32_t warp = threadIdx.x / 32;
    const bool is_producer = warp == 0;
    const bool is_leader = threadIdx.x == 0;
    Log log(params.records, params.attempted, params.capacity, params.window);
    Watchdog<Log> watchdog(control, log, params.watchdog_ns, &params.status[blockIdx.x], &params.anchors[2 * blockIdx.x + 1]);
    Pipeline pipeline(storage, {params.transaction_bytes, is_leader, params.arrive_per_warp != 0}, log, watchdog);

    if (is_leader) {
        if constexpr (Log::enabled) params.anchors[2 * blockIdx.x] = take_anchor();
        control = {};
        init_barriers(storage, params.full_init, params.empty_init, log);
        fence_barrier_init(log);
    }
    __syncthreads();

    if (is_producer) {
        auto pipe_write = make_producer_start_state<kStages>(params.producer_phase);
        for (uint32_t tile = 0; tile < producer_tiles(params.tiles); ++tile) {
            work_for(params.producer_delay);
            pipeline.producer_acquire(pipe_write);
            if (is_leader && copies(tile)) {
                auto& full = pipeline.producer_get_barrier(pipe_write);
                uint8_t* const buffer = buffers + pipe_write.index() * tile_bytes(params);
                for (uint32_t box = 0; box < boxes_per_tile(params); ++box) {
                    tma_load(source, full, buffer, box, pipe_write, params, log);
                }
            }
            __syncwarp();
            ++pipe_write, log.advance(pipe_write, tile);
        }
        pipeline.producer_tail(pipe_write);
        log.exit_producer();
    } else {
        PipelineState<kStages> pipe_read(0, params.consumer_phase, 0);
        uint32_t result = 0;
        for (uint32_t tile = 0; tile < consumer_tiles(params.tiles); ++tile) {
            pipeline.consumer_wait(pipe_read);
            result += read_tile(buffers + pipe_read.index() * tile_bytes(params), pipe_read, params, log);
            if (releases<kStages>(tile, warp)) pipeline.consumer_release(released<kStages>(pipe_read));
            ++pipe_read, log.advance(pipe_read, tile);
        }
        report(result, params);
        log.exit_consumer();
    }
    watchdog.leave();
}

// Takes anchors and nothing else, `span_ns` apart: calibrates the SMs' clocks over longer than a short kernel lasts.
extern "C" __global__ void calibrate_clock(Anchor* anchors, uint64_t span_ns) {
    anchors[2 * blockIdx.x] = take_anchor();
    const uint64_t start = read_globaltimer();
    while (read_globaltimer() - start < span_ns) __nanosleep(1000);
    anchors[2 * blockIdx.x + 1] = take_anchor();
}

// Writes `records` records from one warp and nothing else: what one costs the warp that writes it, in cycles of its SM.
extern "C" __global__ void calibrate_record(const __grid_constant__ LessonParams params, uint32_t records, uint64_t* cycles) {
    Log log(params.records, params.attempted, params.capacity, params.window);
    const uint64_t begin = read_clock();
    for (uint32_t tile = 0; tile < records; ++tile) {
        log.write(log.clock(), __LINE__, {.tile = tile, .kind = Kind::Advance, .stage = 0, .parity = 0});
    }
    *cycles = read_clock() - begin;
}
