// What the host sets: the experiment's parameters and where results go. visualizer/sources/lesson/worker_kernel.py packs it.
#pragma once

#include "clock_log.cuh"

struct LessonParams {
    // Written by the kernel.
    void* records;        // see LogMemory
    uint32_t* attempted;  // [warps of all CTAs]
    Span* spans;          // [warps of all CTAs]
    Anchor* anchors;      // [CTAs][2]
    uint32_t* status;     // [CTAs]
    uint32_t* results;    // [CTAs][consumer warps]: wrong values, or the sum of all 32-bit words read
    // Read by the kernel.
    const uint16_t* expected;  // [tile_rows][source_tiles * tile_columns] halves, what the tiles should hold
    uint64_t watchdog_ns;
    uint32_t producer_delay;  // turns of work_for
    uint32_t consumer_delay;  // likewise
    uint32_t capacity;
    uint32_t tiles;
    uint32_t tile_rows;
    uint32_t tile_columns;
    uint32_t source_tiles;
    uint32_t data_offset;
    uint32_t transaction_bytes;
    uint32_t full_init;
    uint32_t empty_init;
    uint32_t producer_phase;
    uint32_t consumer_phase;
    uint32_t arrive_per_warp;
    LogWindow window;
};

__device__ inline LogMemory log_memory(const LessonParams& params) {
    return {params.records, params.attempted, params.spans, params.capacity, params.window};
}

constexpr uint32_t kBoxColumns = 64;  // halves in a box's row: 128 bytes, the span of the swizzle
constexpr uint32_t kElementBytes = 2;

__device__ inline uint32_t box_bytes(const LessonParams& params) {
    return params.tile_rows * kBoxColumns * kElementBytes;
}

__device__ inline uint32_t boxes_per_tile(const LessonParams& params) { return params.tile_columns / kBoxColumns; }
