// The cheap log: no records of events but 32-bit clocks, one record a wait, at an index that is the tile's number.
//
// Everything else - kind, stage, parity, line - follows from the index and the program, and the begin of a wait is the end of the
// operation before it; visualizer/trace/unfold.py puts them back. What each level keeps of a tile, in 32-bit words:
//   Phases    producer: passed                            the first consumer warp: passed
//   Standard  producer: passed, issued                    each consumer warp: passed
//   Full      producer: begun, passed, copying, issued    each consumer warp: begun, passed
// `begun` is read as a wait begins, `passed` once it passed: its lowest bit tells whether the wait blocked.
// `copying` lies between arrive.expect_tx and the first copy, `issued` after the last. The producer's last waits, one a stage,
// follow as tiles of their own. Words of a CTA: producer
// [capacity][words], then consumer warps [warp][capacity][words].
//
// What it costs was found in the SASS and on the clock (docs/hardware.md, "What logging costs"), hence: a record is stored while
// the answer of the next wait is on its way, in the loop that waits, so that a further turn stores it again; the store is
// predicated inside one asm block; nothing has a memory clobber; and no register is written soon after a store has read it,
// because a store reads late. So a warp that waits has stored all its records: the host counts on it after a hang.
#pragma once

#include "barrier_log.cuh"

#ifndef PHASESCOPE_RING
#define PHASESCOPE_RING 0
#endif
constexpr bool kRing = PHASESCOPE_RING != 0;  // the last records are kept, not the first

enum class Level : uint32_t { Off = 0, Phases = 1, Standard = 2, Full = 3, Words = 4 };

template <Level level>
class ClockLog {
public:
    static constexpr bool enabled = true;
    static constexpr uint32_t kProducerWords = level == Level::Full ? 4 : level == Level::Standard ? 2 : 1;
    static constexpr uint32_t kConsumerWords = level == Level::Full ? 2 : 1;

    __device__ ClockLog(const LogMemory& memory) {
        const uint32_t warps = agent_warps(), warp = threadIdx.x / 32;
        const uint32_t consumers = level == Level::Phases ? 1 : warps - 1;
        const uint64_t cta_words = kProducerWords + kConsumerWords * consumers;
        const LogWindow& window = memory.window;
        const uint64_t words_before = blockIdx.x * cta_words + (warp ? kProducerWords + kConsumerWords * (warp - 1) : 0);
        slice_ = in_register(static_cast<uint32_t*>(memory.records) + words_before * memory.capacity);
        // In a window tiles count from its first one: what lies before has an index beyond any room.
        index_ = ~0u - window.first;
        first_lane_ = threadIdx.x % 32 == 0;
        // Lanes and warps that do not store have room for nothing: one comparison decides.
        const uint32_t room = kRing ? ~0u : memory.capacity < window.tiles ? memory.capacity : window.tiles;
        room_ = in_register(first_lane_ && warp <= consumers && window.has(blockIdx.x, warp) ? room : 0);
        ring_mask_ = memory.capacity - 1;
        span_ = memory.spans + blockIdx.x * warps + warp;
        attempted_ = memory.attempted + blockIdx.x * warps + warp;
    }

    __device__ void start() {
        if (first_lane_) span_->begin = ::read_clock();
    }

    // A wait begins.
    __device__ void testing() {
        if constexpr (level == Level::Full) read_clock(begun_);
    }
    // It awaits its answer: the record before it is stored. May be called again and again.
    __device__ void store(On barrier) { barrier == On::Empty ? store_producer() : store_consumer(); }
    // The wait has passed.
    __device__ void passed() { passed_ = read_clock_low(); }
    __device__ void blocked(uint32_t blocked) { blocked_ = blocked; }
    // The producer has armed the stage.
    __device__ void copying() {
        if constexpr (level == Level::Full) read_clock(copying_);
    }
    // It has issued the copies: its record is whole.
    __device__ void issued() {
        if constexpr (level != Level::Phases) read_clock(words_[3]);
        words_[2] = copying_;
        complete();
    }
    // A consumer has released the stage: its record is whole.
    __device__ void released() { complete(); }

    // The loop over the tiles is over.
    __device__ void finish() {
        if (first_lane_) span_->begun = read_clock_low();
    }
    __device__ void time_out(const Event&, uint32_t) {
        if (first_lane_) {
            span_->begun = begun_;
            span_->timeout = ::read_clock();
        }
    }
    __device__ void exit_producer() {
        store_producer();
        exit(0);
    }
    __device__ void exit_consumer() {
        store_consumer();
        exit(0);
    }
    __device__ void exit(uint32_t) {
        if (first_lane_) span_->end = ::read_clock();
    }
    // Must be the last call: tells the host how many records were wanted.
    __device__ void close() {
        if (first_lane_) *attempted_ = index_ + 1;
    }

    // BarrierLog's records; nothing here.
    __device__ uint64_t clock() const { return 0; }
    __device__ void write(uint64_t, uint32_t, const Event&) {}
    template <class State>
    __device__ void advance(const State&, uint32_t, uint32_t = 0) {}

private:
    // Only lanes that store read the clock: what a whole warp reads comes by way of a uniform register, which takes longer.
    __device__ void read_clock(uint32_t& cycles) {
        asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mov.u32 %0, %%clock; }" : "+r"(cycles) : "r"(room_));
    }

    // A new word for the next record. Using the old one keeps its register from being given away right behind the store,
    // where whoever wrote it next would wait for the store to have read it.
    __device__ void replace(uint32_t& word, uint32_t value) {
        asm volatile("lop3.b32 %0, %1, %0, %2, 0xf8;" : "+r"(word) : "r"(value), "r"(zero_));
    }

    __device__ void complete() {
        replace(words_[0], begun_);
        replace(words_[1], (passed_ & ~1u) | blocked_);
        ++index_;
    }

    // Address and predicate are worked out with the store: one instruction each, where the answer of a wait is still awaited.
    __device__ uint32_t place() const { return kRing ? index_ & ring_mask_ : index_; }

    __device__ void store_producer() {
        if constexpr (level == Level::Full) {
            asm volatile("{ .reg .pred p; .reg .u64 at; setp.lt.u32 p, %0, %1; mad.wide.u32 at, %2, 16, %3;"
                         " @p st.global.v4.u32 [at], {%4, %5, %6, %7}; }" ::"r"(index_),
                         "r"(room_), "r"(place()), "l"(slice_), "r"(words_[0]), "r"(words_[1]), "r"(words_[2]), "r"(words_[3]));
        } else if constexpr (level == Level::Standard) {
            store_pair(words_[1], words_[3]);
        } else {
            store_one();
        }
    }
    __device__ void store_consumer() { level == Level::Full ? store_pair(words_[0], words_[1]) : store_one(); }
    __device__ void store_pair(uint32_t first, uint32_t second) {
        asm volatile("{ .reg .pred p; .reg .u64 at; setp.lt.u32 p, %0, %1; mad.wide.u32 at, %2, 8, %3;"
                     " @p st.global.v2.u32 [at], {%4, %5}; }" ::"r"(index_),
                     "r"(room_), "r"(place()), "l"(slice_), "r"(first), "r"(second));
    }
    __device__ void store_one() {
        asm volatile("{ .reg .pred p; .reg .u64 at; setp.lt.u32 p, %0, %1; mad.wide.u32 at, %2, 4, %3;"
                     " @p st.global.u32 [at], %4; }" ::"r"(index_), "r"(room_), "r"(place()), "l"(slice_), "r"(words_[1]));
    }

    uint32_t* slice_;  // this warp's records
    uint32_t room_;
    uint32_t zero_ = in_register(0u);
    uint32_t index_;  // of the last whole record
    uint32_t ring_mask_;  // of the index, if this is a ring
    uint32_t words_[4] = {};
    uint32_t begun_ = 0;
    uint32_t passed_ = 0;
    uint32_t copying_ = 0;
    uint32_t blocked_ = 0;  // or 1
    bool first_lane_;
    Span* span_;
    uint32_t* attempted_;
};
