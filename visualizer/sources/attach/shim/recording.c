/* One recorded launch: the twin of its kernel is loaded, given the original's attributes and variables, launched
instead of it, and waited for.

Everything on the GPU is put into the launch's own stream, so the program sees the order it asked for. */
#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLUSTER_DIMENSION = 4 };
static const int required_cluster[] = {11, 12, 13};

static void describe(struct message *message, const struct launch *launch, bool has_twin) {
    unsigned cluster[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++)
        if (attribute(launch, required_cluster[i]) > 0)
            cluster[i] = attribute(launch, required_cluster[i]);
    for (unsigned i = 0; i < launch->attribute_count; i++)
        if (launch->attributes[i].id == CLUSTER_DIMENSION)
            memcpy(cluster, launch->attributes[i].value.dimension, sizeof cluster);
    const unsigned *grid = launch->grid, *block = launch->block;
    add(message, "kernel %d\nindex %llu\ntwin %d\n", launch->kernel->id, (unsigned long long)launch->index,
        has_twin);
    add(message, "grid %u %u %u\nblock %u %u %u\ncluster %u %u %u\n", grid[0], grid[1], grid[2], block[0], block[1],
        block[2], cluster[0], cluster[1], cluster[2]);
    add(message, "shared %d %u\nregisters %d\nlocal %d\n", attribute(launch, STATIC_SHARED), launch->shared,
        attribute(launch, REGISTERS), attribute(launch, LOCAL));
}

static void tell_start(const struct launch *launch, const struct recording *recording) {
    struct message message;
    int registers = 0, local = 0;
    if (!open_message(&message, "start"))
        return;
    cu.cuFuncGetAttribute(&registers, REGISTERS, recording->function);
    cu.cuFuncGetAttribute(&local, LOCAL, recording->function);
    add(&message, "recording %d\nregisters %d\nlocal %d\nmemory %s\n", recording->id, registers, local,
        recording->log.copies ? "device" : "host");
    /* The first parameter need not be at 0: it is aligned in the GPU's constant memory [seen on H200]. */
    size_t first = 0, offset, size;
    for (size_t i = 0; launch->parameters && !cu.cuFuncGetParamInfo(recording->function, i, &offset, &size); i++) {
        if (!i)
            first = offset;
        describe_tensor_maps(&message, launch->parameters[i], size, offset - first);
    }
    void *buffer = NULL;
    const size_t *buffer_size = NULL;
    for (void **extra = launch->extra; extra && *extra; extra += 2)
        if (*extra == (void *)1)
            buffer = extra[1];
        else if (*extra == (void *)2)
            buffer_size = extra[1];
    if (buffer && buffer_size)
        describe_tensor_maps(&message, buffer, *buffer_size, 0);
    tell_and_close(&message);
}

static void give_back(const struct launch *launch, struct recording *recording) {
    close_rounds(launch, &recording->rounds);
    close_log(&recording->log, launch->stream);
    Handle events[] = {recording->begin, recording->end, recording->written_back};
    for (unsigned i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            cu.cuEventDestroy(events[i]);
    if (recording->twin)
        __atomic_store_n(&recording->twin->busy, false, __ATOMIC_RELEASE);
    cu.cuThreadExchangeStreamCaptureMode(&recording->capture_mode);
}

static bool prepare(const struct launch *launch, struct recording *recording, struct reply *reply, Handle context) {
    const char *id = field(reply, "recording"), *entry = field(reply, "entry"), *log = field(reply, "log");
    char name[4096];
    if (!id || !entry || !log || reply->count < 1 || sscanf(entry, "%4095s", name) != 1)
        return false; /* the server has said why in its own words */
    recording->id = atoi(id);
    const char *rounds = field(reply, "rounds");
    if (rounds)
        sscanf(rounds, "%u %d", &recording->rounds.wanted, &recording->rounds.limit_ms);
    if (!recording->twin) {
        recording->twin = reply->count > 1 ? load_module(launch->kernel, context, reply->fds[1], name, recording) : NULL;
        if (!recording->twin)
            return false;
        recording->twin->busy = true;
    }
    recording->function = recording->twin->function;
    struct log *own = &recording->log;
    char place[8];
    if (sscanf(log, "%zu %zu %7s %zu %zu %zu %zu %d", &own->bytes, &own->begun, place, &own->headers, &own->counts,
            &own->streams, &own->stream, &own->begins_again) != 8 ||
        !copy_attributes(launch, recording))
        return false;
    Result result = open_log(own, reply->fds[0], !strcmp(place, "device"), launch->stream);
    if (result != SUCCESS)
        return fail(recording, "cuMemHostRegister", result);
    if (!set_control(launch, recording, reply, recording->log.address) || !copy_variables(launch, recording, reply))
        return false;
    result = cu.cuEventCreate(&recording->begin, 0);
    if (result == SUCCESS)
        result = cu.cuEventCreate(&recording->end, 0);
    if (result == SUCCESS)
        result = cu.cuEventCreate(&recording->written_back, 0);
    if (result == SUCCESS)
        result = cu.cuEventRecord(recording->begin, launch->stream);
    return result == SUCCESS || fail(recording, "cuEventRecord", result);
}

bool begin_recording(const struct launch *launch, struct recording *recording) {
    struct message message;
    memset(recording, 0, sizeof *recording);
    Handle context = NULL;
    cu.cuCtxGetCurrent(&context);
    struct twin *twin = launch->kernel->twins;
    while (twin && twin->context != context)
        twin = twin->next;
    if (twin && __atomic_exchange_n(&twin->busy, true, __ATOMIC_ACQUIRE)) {
        if (open_message(&message, "busy")) {
            add(&message, "kernel %d\nindex %llu\n", launch->kernel->id, (unsigned long long)launch->index);
            tell_and_close(&message);
        }
        return false;
    }
    recording->twin = twin;
    /* What follows may not disturb a capture of another thread's. */
    recording->capture_mode = CAPTURE_RELAXED;
    cu.cuThreadExchangeStreamCaptureMode(&recording->capture_mode);
    struct reply *reply = malloc(sizeof *reply);
    bool ready = open_message(&message, "launch") && reply;
    if (ready) {
        describe(&message, launch, twin);
        ready = ask(message.text, -1, reply) && prepare(launch, recording, reply, context);
        close_fds(reply);
    }
    close_message(&message);
    free(reply);
    if (ready)
        tell_start(launch, recording);
    else
        give_back(launch, recording);
    return ready;
}

static bool is_released(const void *of) {
    const struct recording *recording = of;
    struct board *board = connected();
    return !board || __atomic_load_n(&board->released[recording->id % BOARD_RECORDINGS], __ATOMIC_ACQUIRE) ||
           server_is_gone();
}

static Result wait_for(struct recording *recording) {
    const struct timespec pause = {0, 50000};
    Result result;
    while ((result = cu.cuEventQuery(recording->written_back)) == NOT_READY && !is_released(recording)) {
        struct board *board = connected();
        if (board && copy_is_due(&recording->log) && copy_log(&recording->log, false, is_released, recording))
            __atomic_fetch_add(&board->copies[recording->id % BOARD_RECORDINGS], 1, __ATOMIC_RELEASE);
        nanosleep(&pause, NULL);
    }
    if (result == SUCCESS && !copy_log(&recording->log, true, is_released, recording))
        result = NOT_FOUND;
    return result;
}

bool await_recording(const struct launch *launch, struct recording *recording, Result result) {
    if (result != SUCCESS) {
        fail(recording, "cuLaunchKernel", result);
        give_back(launch, recording);
        return false;
    }
    cu.cuEventRecord(recording->end, launch->stream);
    for (unsigned i = 0; i < recording->written_count; i++)
        cu.cuMemcpyDtoDAsync(recording->written[i].original, recording->written[i].twin, recording->written[i].bytes,
            launch->stream);
    cu.cuEventRecord(recording->written_back, launch->stream);
    recording->outcome = wait_for(recording);
    if (recording->outcome == SUCCESS)
        cu.cuEventElapsedTime(&recording->ms, recording->begin, recording->end);
    return true;
}

void end_recording(const struct launch *launch, struct recording *recording) {
    struct message message;
    const char *name = NULL;
    /* What goes on without us keeps its log and its twin as they are. */
    bool goes_on = recording->outcome == NOT_READY || recording->rounds.hangs;
    cu.cuGetErrorName(recording->outcome, &name);
    if (recording->outcome != NOT_READY && open_message(&message, "end")) {
        add(&message, "recording %d\nresult %d %s\nms %.6f\n", recording->id, recording->outcome, name ? name : "",
            recording->ms);
        describe_rounds(&message, &recording->rounds);
        tell_and_close(&message);
    }
    if (goes_on)
        cu.cuThreadExchangeStreamCaptureMode(&recording->capture_mode);
    else
        give_back(launch, recording);
}
