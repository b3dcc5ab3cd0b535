// The cheap log: no records of events but 32-bit clocks, one record a wait, at an index that is the tile's number.
//
// Everything else - kind, stage, parity, line - follows from the index and the program, and the begin of a wait is the end of the
// operation before it; visualizer/sources/lesson/tile_events.py puts them back. What each level keeps of a tile, in 32-bit words:
//   Phases    producer: passed                            the first consumer warp: passed
//   Standard  producer: passed, issued                    each consumer warp: passed
//   Full      producer: begun, passed, copying, issued    each consumer warp: begun, passed
// `begun` is read as a wait begins, `passed` once it passed: its lowest bit tells whether the wait blocked.
// `copying` lies between arrive.expect_tx and the first copy, `issued` after the last. The producer's last waits, one a stage,
// follow as tiles of their own. Words of a CTA: producer
// [capacity][words], then consumer warps [warp][capacity][words].
//
// What it costs was found in the SASS and on the clock (docs/hardware.md, "What logging costs"), hence: where the record goes is
// found while the answer of the wait's test is on its way; one instruction stores it, between the wait and the release, where
// its registers are not needed soon - a store reads them late, and who writes one before waits; no clock has a memory clobber,
// and none is read by way of a uniform register. A warp that waits has stored all its records: the host counts on it after a hang.
#pragma once

#include "barrier_log.cuh"

#ifndef PHASESCOPE_RING
#define PHASESCOPE_RING 0
#endif
constexpr bool kRing = PHASESCOPE_RING != 0;  // the last records are kept, not the first

enum class Level : uint32_t { Off = 0, Phases = 1, Standard = 2, Full = 3, Words = 4 };

template <Level level>
class ClockLog : public NoRecords {
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
        const int before = kRing ? static_cast<int>(index_ & ring_mask_) : static_cast<int>(index_);
        place_ = slice_ + static_cast<long long>(before) * (warp ? kConsumerWords : kProducerWords);
        span_ = memory.spans + blockIdx.x * warps + warp;
        attempted_ = memory.attempted + blockIdx.x * warps + warp;
    }

    __device__ void start() {
        if (first_lane_) span_->begin = ::read_clock();
    }

    // A wait has begun: its first test is on its way. The answer takes 35 cycles, in which the place of the record is found.
    __device__ void testing(On barrier) {
        if constexpr (level == Level::Full) tick(begun_);
        ++index_;
        barrier == On::Empty ? move_on<kProducerWords>() : move_on<kConsumerWords>();
        stores_ = index_ < room_;
    }
    // It has passed.
    __device__ void passed(bool blocked) {
        passed_ = read_clock_low();
        blocked_ = blocked;
    }
    // The producer has armed the stage.
    __device__ void copying() {
        if constexpr (level == Level::Full) tick(copying_);
    }
    // It has issued the copies: its record is whole.
    __device__ void issued() {
        if constexpr (level != Level::Phases) tick(issued_);
        store_producer();
    }
    // A consumer is about to release the stage: nothing waits any more between its record and that.
    __device__ void releasing() { store_consumer(); }

    // The loop over the tiles is over.
    __device__ void finish() {
        if (first_lane_) span_->begun = read_clock_low();
    }
    __device__ void time_out(const Event&, uint32_t) {
        --index_;  // there is no record of this wait
        if (first_lane_) {
            span_->begun = begun_;
            span_->timeout = ::read_clock();
        }
    }
    __device__ void exit_producer() { exit(0); }
    __device__ void exit_consumer() { exit(0); }
    __device__ void exit(uint32_t) {
        if (first_lane_) span_->end = ::read_clock();
    }
    // Must be the last call: tells the host how many records were wanted.
    __device__ void close() {
        if (first_lane_) *attempted_ = index_ + 1;
    }

private:
    // Reads the clock in the lane that stores. One that is the same in all lanes the compiler reads into a uniform register, and
    // waits for it.
    __device__ void tick(uint32_t& clock) {
        if (first_lane_) clock = read_clock_low();
    }

    // The wait's end, and in its lowest bit whether it blocked.
    __device__ uint32_t passed() const { return (passed_ & ~1u) | blocked_; }

    template <uint32_t words>
    __device__ void move_on() {
        if (kRing && (index_ & ring_mask_) == 0) {
            place_ = slice_;
        } else {
            asm volatile("mad.wide.u32 %0, %1, %2, %0;" : "+l"(place_) : "r"(one_), "n"(4 * words));
        }
    }

    // One instruction each: the compiler makes a predicate of the condition.
    __device__ void store_producer() {
        if constexpr (level == Level::Full) {
            if (stores_) {
                asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(place_), "r"(begun_), "r"(passed()), "r"(copying_),
                             "r"(issued_));
            }
        } else if constexpr (level == Level::Standard) {
            store_pair(passed(), issued_);
        } else {
            store_one(passed());
        }
    }
    __device__ void store_consumer() { level == Level::Full ? store_pair(begun_, passed()) : store_one(passed()); }
    __device__ void store_pair(uint32_t first, uint32_t second) {
        if (stores_) asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(place_), "r"(first), "r"(second));
    }
    __device__ void store_one(uint32_t word) {
        if (stores_) asm volatile("st.global.u32 [%0], %1;" ::"l"(place_), "r"(word));
    }

    uint32_t* slice_;  // this warp's records
    uint32_t* place_;  // of the record that is being made, whether there is room or not; counted along
    uint32_t room_;
    uint32_t index_;      // of that record
    uint32_t ring_mask_;  // of the index, if this is a ring
    uint32_t one_ = in_register(blockDim.y);  // 1, but the compiler cannot know: adding in two steps would part the address
    bool stores_ = false;
    uint32_t begun_ = 0;
    uint32_t passed_ = 0;
    uint32_t blocked_ = 0;  // or 1
    uint32_t copying_ = 0;
    uint32_t issued_ = 0;
    bool first_lane_;
    Span* span_;
    uint32_t* attempted_;
};
