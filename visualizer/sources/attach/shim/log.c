/* Where a launch's log is: memory of the GPU that is copied now and then, or memory of this process that it writes.

Either way the server sees a file that this process has mapped. Writing to the host's memory slows a kernel down, but
what is there outlives a crash; memory of the GPU costs little. It is copied whole once a second while the kernel runs,
and when it ends what was written alone: most of the room is never used, and new memory of the host is dear. */
#include "shim.h"
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { REGISTERED_PORTABLE = 1, REGISTERED_MAPPED = 2, NON_BLOCKING = 1 };
enum { COPY_EVERY_NS = 1000000000, REST = 10 }; /* a copy is followed by a rest of so many times its duration */
enum { ROW = 16, SHARED_COUNTS = 1, NEAR = 1 << 16 }; /* bytes that are copied sooner than another copy is begun */
static const uint32_t left = 0x80000000; /* in a count: the lane has left, see log_format.py */

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

/* The streams, as far as their lanes wrote them; all of a stream whose lane did not say as it left. */
static Result copy_streams(const struct log *log) {
    const uint32_t *count = (const uint32_t *)((const char *)log->memory + log->counts) + SHARED_COUNTS;
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

bool copy_log(struct log *log, bool ended, bool (*give_up)(const void *), const void *of) {
    if (!log->copies)
        return true;
    int64_t begun = now();
    Result result = copy_part(log, 0, ended ? log->streams : log->bytes);
    if (result == SUCCESS)
        result = wait_for_copies(log, give_up, of);
    if (result == SUCCESS && ended && (result = copy_streams(log)) == SUCCESS)
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
    memset(log, 0, sizeof *log);
}
