// What every log shares - events, clocks, anchors - and two of the logs: BarrierLog, level `words`, and NoLog, level `off`.
//
// BarrierLog writes one 32-byte record per barrier event, with the token the hardware returned, by lane 0 of a warp into
// that warp's own slice of memory. No two warps share a slice, so nothing blocks and nothing needs an atomic. A full
// slice stores no more but goes on counting, so that the host can say how many records were lost.
// The cheap levels are in clock_log.cuh. All logs have the same members, so that the pipeline is written once.
// visualizer/sources/lesson/raw_log.py reads these structs; the two must change together.
#pragma once

#include "agent_warps.cuh"

// visualizer/recording/schema.py EventKind.
enum class Kind : uint8_t {
    Init = 1,
    WaitBegin = 3,
    WaitEnd = 4,
    Arrive = 5,
    ExpectTx = 7,
    ArriveExpectTx = 8,
    CopyIssue = 11,
    ReadBegin = 13,
    ReadEnd = 14,
    Advance = 15,
    Fence = 16,
    Exit = 17,
    Timeout = 18,
};

enum class On : uint8_t { None = 0, Full = 1, Empty = 2 };  // which of a stage's barriers

constexpr uint8_t kNone = 0xff;            // no stage, no parity
constexpr uint32_t kNoTile = 0xffffffffu;  // no tile
constexpr uint8_t kBlocked = 1;            // the wait did not pass at once
constexpr uint8_t kHasToken = 8;           // `token` holds a word the hardware returned

// What happened, in the order of Record's fields.
struct Event {
    uint64_t token = 0;
    uint32_t tile = kNoTile;
    uint32_t amount = 0;
    Kind kind;
    uint8_t stage = kNone;
    On barrier = On::None;
    uint8_t parity = kNone;
    uint8_t flags = 0;
};

struct alignas(16) Record {
    uint64_t clock;
    uint64_t token;
    uint32_t tile;
    uint32_t amount;
    uint16_t line;
    Kind kind;
    uint8_t stage;
    On barrier;
    uint8_t parity;
    uint8_t flags;
    uint8_t reserved;
};
static_assert(sizeof(Record) == 32, "raw.py reads 32-byte records");

// One instant on this SM's clock and on the global one.
struct Anchor {
    uint64_t clock;
    uint64_t globaltimer;
    uint32_t smid;
    uint32_t uncertainty;  // cycles between the clock reads around the timer read that showed the tick
};

__device__ inline uint64_t read_clock() {
    uint64_t cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__device__ inline uint64_t read_globaltimer() {
    uint64_t ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

// The low half of the clock: one instruction, and half the store. It goes round in two seconds. Without a memory clobber,
// so that it does not keep loads and stores apart.
__device__ inline uint32_t read_clock_low() {
    uint32_t cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles));
    return cycles;
}

// Waits for the global timer to tick (every 32 ns on an H200), so that the pair is good to a few cycles.
__device__ inline Anchor take_anchor() {
    Anchor anchor;
    const uint64_t tick = read_globaltimer();
    uint64_t before;
    do {
        before = read_clock();
        anchor.globaltimer = read_globaltimer();
    } while (anchor.globaltimer == tick);
    // Behind the branch that needed the timer's value: inside the loop this read would not wait for it.
    anchor.clock = read_clock();
    anchor.uncertainty = static_cast<uint32_t>(anchor.clock - before);
    asm volatile("mov.u32 %0, %%smid;" : "=r"(anchor.smid));
    return anchor;
}

// Which part of a run is logged.
struct LogWindow {
    uint32_t first;      // tile
    uint32_t tiles;      // so many from there; events of no tile are always logged
    uint32_t ring_mask;  // of the record's index: a ring keeps the last records, else all bits
    uint32_t every_cta;  // of every so many CTAs the first
    uint32_t roles;      // bit 0: the producer, bit 1: consumers

    __device__ bool has(uint32_t cta, uint32_t warp) const {
        return cta % every_cta == 0 && (roles >> (warp != 0) & 1) != 0;
    }
    __device__ bool has(uint32_t tile) const { return tile == kNoTile || tile - first < tiles; }
};

// What ClockLog keeps of a warp beside its records, in whole clocks: 32-bit ones are unwrapped from these.
struct Span {
    uint64_t begin;    // its loop begins
    uint64_t end;      // it leaves the kernel; 0: it has not
    uint64_t timeout;  // its wait gave up; 0: none did
    uint32_t begun;    // low half: that wait began, or its loop over the tiles ended
    uint32_t reserved;
};

// Where logs go; each uses what it needs. Slice = CTA * warps + warp.
struct LogMemory {
    void* records;        // BarrierLog: Record [slices][capacity]; ClockLog: see there
    uint32_t* attempted;  // [slices] records wanted
    Span* spans;          // [slices] ClockLog: when each warp began and ended
    uint32_t capacity;    // records per slice
    LogWindow window;
};

// The members of a log that has no use for ClockLog's moments.
struct NoMoments {
    __device__ void start() {}
    __device__ void testing(On) {}
    __device__ void passed(bool) {}
    __device__ void copying() {}
    __device__ void issued() {}
    __device__ void releasing() {}
    __device__ void finish() {}
};

// And of one that has none for BarrierLog's records.
struct NoRecords {
    __device__ uint64_t clock() const { return 0; }
    __device__ void gather() const {}
    __device__ void write(uint64_t, uint32_t, const Event&) {}
    template <class State>
    __device__ void advance(const State&, uint32_t, uint32_t = 0) {}
};

// One warp's slice. `clock()` is read *before* an arrive or a copy and *after* a wait, so that a logged arrival is
// never later than its effect and a logged pass never earlier than its cause.
class BarrierLog : public NoMoments {
public:
    static constexpr bool enabled = true;

    __device__ BarrierLog(const LogMemory& memory)
        : capacity_(memory.window.ring_mask == ~0u ? memory.capacity : ~0u), count_(0), window_(memory.window) {
        const uint32_t warp = threadIdx.x / 32;
        const uint32_t slice = blockIdx.x * agent_warps() + warp;
        records_ = static_cast<Record*>(memory.records) + static_cast<uint64_t>(slice) * memory.capacity;
        attempted_ = memory.attempted + slice;
        writes_ = threadIdx.x % 32 == 0 && window_.has(blockIdx.x, warp);
    }

    __device__ uint64_t clock() const { return read_clock(); }

    __device__ void write(uint64_t clock, uint32_t line, const Event& event) {
        if (writes_ && window_.has(event.tile)) {
            if (count_ < capacity_) {
                // Two 16-byte stores, the fields in Record's order; left to itself the compiler makes six small ones.
                auto* const halves = reinterpret_cast<ulonglong2*>(records_ + (count_ & window_.ring_mask));
                halves[0] = {clock, event.token};
                halves[1] = {event.tile | static_cast<uint64_t>(event.amount) << 32,
                             line | static_cast<uint64_t>(event.kind) << 16 | static_cast<uint64_t>(event.stage) << 24 |
                                 static_cast<uint64_t>(event.barrier) << 32 | static_cast<uint64_t>(event.parity) << 40 |
                                 static_cast<uint64_t>(event.flags) << 48};
            }
            ++count_;
        }
    }

    // The clock read next is that of the last lane.
    __device__ void gather() const { __syncwarp(); }

    // ++PipelineState has just been done at `tile`.
    template <class State>
    __device__ void advance(const State& state, uint32_t tile, uint32_t line = __builtin_LINE()) {
        write(clock(), line,
              {.tile = tile,
               .amount = state.count(),
               .kind = Kind::Advance,
               .stage = static_cast<uint8_t>(state.index()),
               .parity = static_cast<uint8_t>(state.phase())});
    }

    __device__ void exit_producer(uint32_t line = __builtin_LINE()) { exit(line); }
    __device__ void exit_consumer(uint32_t line = __builtin_LINE()) { exit(line); }
    __device__ void exit(uint32_t line) { write(clock(), line, {.kind = Kind::Exit}); }

    // The wait of `event` gave up.
    __device__ void time_out(Event event, uint32_t line) {
        event.kind = Kind::Timeout;
        write(clock(), line, event);
    }

    // Must be the last call: tells the host how many records were wanted.
    __device__ void close() {
        if (writes_) *attempted_ = count_;
    }

private:
    Record* records_;
    uint32_t* attempted_;
    uint32_t capacity_;
    uint32_t count_;
    LogWindow window_;
    bool writes_;
};

// Logging off: the same calls, and not one instruction.
class NoLog : public NoRecords, public NoMoments {
public:
    static constexpr bool enabled = false;

    __device__ NoLog(const LogMemory&) {}
    __device__ void exit_producer() {}
    __device__ void exit_consumer() {}
    __device__ void exit(uint32_t) {}
    __device__ void time_out(const Event&, uint32_t) {}
    __device__ void close() {}
};
