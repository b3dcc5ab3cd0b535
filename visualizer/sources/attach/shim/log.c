/* Where a launch's log is: memory of the GPU that is copied now and then, or memory of this process that it writes.

Either way the server sees a file that this process has mapped. Writing to the host's memory slows a kernel down, but
what is there outlives a crash; memory of the GPU costs little, and is copied whole when the kernel ends, and once a
second while it does not. */
#include "shim.h"
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { REGISTERED_PORTABLE = 1, REGISTERED_MAPPED = 2, NON_BLOCKING = 1 };
enum { COPY_EVERY_NS = 1000000000, REST = 10 }; /* a copy is followed by a rest of so many times its duration */

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * (int64_t)1000000000 + time.tv_nsec;
}

/* Zeros, and what a log begins with, where the kernel will write. */
static Result on_device(struct log *log, size_t begun, Handle stream) {
    Result result = cu.cuStreamCreate(&log->copies, NON_BLOCKING);
    if (result == SUCCESS)
        result = cu.cuMemAllocAsync(&log->address, log->bytes, stream);
    if (result == SUCCESS)
        result = cu.cuMemsetD8Async(log->address, 0, log->bytes, stream);
    if (result == SUCCESS && begun)
        result = cu.cuMemcpyHtoDAsync(log->address, log->memory, begun, stream);
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

Result open_log(struct log *log, int fd, size_t bytes, size_t begun, bool device, Handle stream) {
    log->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (log->memory == MAP_FAILED) {
        log->memory = NULL;
        return NOT_FOUND;
    }
    log->bytes = bytes;
    log->begun = begun;
    log->copied_at = now();
    if (device && on_device(log, begun, stream) == SUCCESS)
        return SUCCESS;
    close_copies(log, stream); /* the GPU's memory is full: the host's will do */
    return on_host(log);
}

bool copy_log(struct log *log, bool (*give_up)(const void *), const void *of) {
    const struct timespec pause = {0, 200000};
    if (!log->copies)
        return true;
    int64_t begun = now();
    Result result = cu.cuMemcpyDtoHAsync(log->memory, log->address, log->bytes, log->copies);
    while (result == SUCCESS && (result = cu.cuStreamQuery(log->copies)) == NOT_READY && !give_up(of)) {
        nanosleep(&pause, NULL);
        result = SUCCESS;
    }
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
