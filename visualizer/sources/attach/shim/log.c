/* Where a launch's log is: memory of the GPU that is copied now and then, or memory of this process that it writes.

Either way the server sees a file that this process has mapped. Writing to the host's memory slows a kernel down, but
what is there outlives a crash; memory of the GPU costs little. What was written alone is copied, once a second while the
kernel runs what is new of it, and when it ends all: most of the room is never used, and new memory of the host is dear. */
#include "shim.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { REGISTERED_PORTABLE = 1, REGISTERED_MAPPED = 2, NON_BLOCKING = 1 };
enum { COPY_EVERY_NS = 1000000000, REST = 10 }; /* a copy is followed by a rest of so many times its duration */
enum { ROW = 16, SHARED_COUNTS = 1, NEAR = 1 << 16 }; /* bytes that are copied sooner than another copy is begun */
enum { LOOK = 64, MORE = 4 }; /* records that are looked for behind the last one, and then so many times as many */
enum { HEADER = 64, HEADER_CTA = 32 }; /* bytes of a warp's header, and where it says that it has begun: see log_format.py */
static const uint32_t left = 0x80000000; /* in a count: the lane has left, see log_format.py */

/* Records of a stream: how many are here, and up to where they were asked for last. */
struct seen {
    uint32_t known, asked;
    bool over; /* no more will come */
};

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

/* Zeros, and what a log begins with, where the kernel will write. */
static Result on_device(struct log *log, Handle stream) {
    Result result = cu.cuStreamCreate(&log->copies, NON_BLOCKING);
    if (result == SUCCESS)
        result = cu.cuMemAllocAsync(&log->address, log->bytes, stream);
    if (result == SUCCESS)
        result = cu.cuMemsetD8Async(log->address, 0, log->bytes, stream);
    if (result == SUCCESS && log->begun)
        result = cu.cuMemcpyHtoDAsync(log->address, log->memory, log->begun, stream);
    return result;
}

static Result on_host(struct log *log) {
    log->registered = true;
    log->address = 0;
    Result result = cu.cuMemHostRegister(log->memory, log->bytes, REGISTERED_PORTABLE | REGISTERED_MAPPED);
    if (result == SUCCESS)
        return cu.cuMemHostGetDevicePointer(&log->address, log->memory, 0);
    log->registered = false;
    return result;
}

Result open_log(struct log *log, int fd, bool device, Handle stream) {
    log->memory = mmap(NULL, log->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (log->memory == MAP_FAILED) {
        log->memory = NULL;
        return NOT_FOUND;
    }
    log->copied_at = now();
    if (device && on_device(log, stream) == SUCCESS)
        return SUCCESS;
    close_copies(log, stream); /* the GPU's memory is full: the host's will do */
    return on_host(log);
}

static Result copy_part(const struct log *log, size_t begin, size_t end) {
    return cu.cuMemcpyDtoHAsync((char *)log->memory + begin, log->address + begin, end - begin, log->copies);
}

static const uint32_t *counts(const struct log *log) {
    return (const uint32_t *)((const char *)log->memory + log->counts) + SHARED_COUNTS;
}

/* The streams, as far as their lanes wrote them; all of a stream whose lane did not say as it left. */
static Result copy_streams(const struct log *log) {
    const uint32_t *count = counts(log);
    size_t begin = log->streams, end = begin;
    Result result = SUCCESS;
    for (size_t at = log->streams; at < log->bytes && result == SUCCESS; at += log->stream, count++) {
        size_t written = *count & left ? (size_t)(*count & ~left) * ROW : log->stream;
        if (!written)
            continue;
        if (at - end > NEAR) {
            if (end > begin)
                result = copy_part(log, begin, end);
            begin = at;
        }
        end = at + (written < log->stream ? written : log->stream);
    }
    return result == SUCCESS && end > begin ? copy_part(log, begin, end) : result;
}

static Result wait_for_copies(const struct log *log, bool (*give_up)(const void *), const void *of) {
    const struct timespec pause = {0, 200000};
    Result result;
    while ((result = cu.cuStreamQuery(log->copies)) == NOT_READY && !give_up(of))
        nanosleep(&pause, NULL);
    return result;
}

static bool has_begun(const struct log *log, size_t stream, size_t streams) {
    size_t lanes = streams / ((log->counts - log->headers) / HEADER); /* of a warp */
    const char *header = (const char *)log->memory + log->headers + stream / lanes * HEADER;
    return *(const uint32_t *)(header + HEADER_CTA);
}

/* Of a stream that has as many records as were asked for: at most so many of those behind them. */
static Result ask_for_more(const struct log *log, size_t stream, uint32_t look) {
    struct seen *seen = &log->seen[stream];
    uint32_t count = counts(log)[stream], room = log->stream / ROW;
    uint32_t end = room - seen->known > look ? seen->known + look : room;
    if (count & left) {
        count &= ~left;
        if (count > room && log->begins_again)
            seen->known = 0;
        end = count < room ? count : room;
        seen->over = true;
    }
    seen->asked = end > seen->known ? end : seen->known;
    if (seen->asked == seen->known)
        return SUCCESS;
    size_t begin = log->streams + stream * log->stream;
    return copy_part(log, begin + seen->known * (size_t)ROW, begin + seen->asked * (size_t)ROW);
}

/* Whether there are as many as were asked for, so that there may be more. */
static bool take_in(const struct log *log, size_t stream) {
    struct seen *seen = &log->seen[stream];
    const uint32_t *rows = (const uint32_t *)((const char *)log->memory + log->streams + stream * log->stream);
    bool asked = seen->known < seen->asked;
    while (seen->known < seen->asked && (seen->over || rows[seen->known * (ROW / 4) + 1]))
        seen->known++;
    return asked && seen->known == seen->asked && !seen->over;
}

/* What was written since the last copy. How much that is nobody says: each stream is looked at behind its last record,
and further on as long as all was written that was looked at. */
static Result copy_news(struct log *log, bool (*give_up)(const void *), const void *of) {
    size_t streams = (log->bytes - log->streams) / log->stream;
    uint32_t room = log->stream / ROW;
    Result result = log->seen || (log->seen = calloc(streams, sizeof *log->seen)) ? SUCCESS : NOT_FOUND;
    for (size_t i = 0; i < streams && result == SUCCESS; i++) {
        if (log->begins_again && log->seen[i].known == room && !log->seen[i].over)
            log->seen[i].known = 0; /* all may have been written again */
        log->seen[i].asked = log->seen[i].known;
    }
    bool more = true;
    for (uint32_t look = LOOK; more && result == SUCCESS; look *= MORE) {
        more = false;
        for (size_t i = 0; i < streams && result == SUCCESS; i++)
            if (log->seen[i].known == log->seen[i].asked && !log->seen[i].over && has_begun(log, i, streams))
                result = ask_for_more(log, i, look);
        if (result == SUCCESS)
            result = wait_for_copies(log, give_up, of);
        for (size_t i = 0; i < streams && result == SUCCESS; i++)
            more |= take_in(log, i);
    }
    return result;
}

bool copy_log(struct log *log, bool ended, bool (*give_up)(const void *), const void *of) {
    if (!log->copies)
        return true;
    int64_t begun = now();
    Result result = copy_part(log, 0, log->streams);
    if (result == SUCCESS)
        result = wait_for_copies(log, give_up, of);
    if (result == SUCCESS && !ended)
        result = copy_news(log, give_up, of);
    else if (result == SUCCESS && (result = copy_streams(log)) == SUCCESS)
        result = wait_for_copies(log, give_up, of);
    log->copied_at = now() + (now() - begun) * (REST - 1);
    return result == SUCCESS;
}

bool copy_is_due(const struct log *log) { return log->copies && now() - log->copied_at >= COPY_EVERY_NS; }

void close_copies(struct log *log, Handle stream) {
    if (log->copies && log->address)
        cu.cuMemFreeAsync(log->address, stream);
    if (log->copies)
        cu.cuStreamDestroy(log->copies);
    log->copies = NULL;
    log->address = 0;
}

void close_log(struct log *log, Handle stream) {
    close_copies(log, stream);
    if (log->registered)
        cu.cuMemHostUnregister(log->memory);
    if (log->memory)
        munmap(log->memory, log->bytes);
    free(log->seen);
    memset(log, 0, sizeof *log);
}
