/* One recorded launch: the twin of its kernel is loaded, given the original's attributes and variables, launched
instead of it, and waited for.

Everything on the GPU is put into the launch's own stream, so the program sees the order it asked for. The log is
memory of this process that the server has mapped too: it can be read while the kernel hangs, and after a crash. */
#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { REGISTERED_PORTABLE = 1, REGISTERED_MAPPED = 2 };
enum { STATIC_SHARED = 1, LOCAL = 3, REGISTERS = 4 };
enum { CLUSTER_DIMENSION = 4 };
static const int settable[] = {8, 9, 14, 15}; /* dynamic shared memory, carve-out, non-portable cluster, scheduling */
static const int required_cluster[] = {11, 12, 13};

struct twin {
    Handle context, module, function;
    bool busy; /* with a launch: its control block is in use */
    struct twin *next;
};

/* Says why this launch runs as it always did. */
static bool fail(const struct recording *recording, const char *step, Result result) {
    struct message message;
    const char *name = NULL;
    cu.cuGetErrorName(result, &name);
    if (open_message(&message, "failed")) {
        add(&message, "recording %d\nstep %s\nresult %d %s\n", recording->id, step, result, name ? name : "");
        tell_and_close(&message);
    }
    return false;
}

static int attribute(const struct launch *launch, int which) {
    int value = 0, device = 0;
    if (launch->kernel->is_library) {
        cu.cuCtxGetDevice(&device);
        if (cu.cuKernelGetAttribute(&value, which, launch->function, device) == SUCCESS)
            return value;
    }
    return cu.cuFuncGetAttribute(&value, which, launch->function) == SUCCESS ? value : 0;
}

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

static struct twin *load(struct kernel *kernel, Handle context, int fd, const char *entry,
    const struct recording *recording) {
    struct twin *twin = calloc(1, sizeof *twin);
    off_t size = lseek(fd, 0, SEEK_END);
    void *image = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (!twin || image == MAP_FAILED) {
        free(twin);
        fail(recording, "mmap", NOT_FOUND);
        return NULL;
    }
    Result result = load_twin(&twin->module, image);
    munmap(image, size);
    if (result == SUCCESS)
        result = cu.cuModuleGetFunction(&twin->function, twin->module, entry);
    if (result != SUCCESS) {
        fail(recording, "cuModuleLoadData", result);
        free(twin);
        return NULL;
    }
    twin->context = context;
    twin->next = kernel->twins;
    return kernel->twins = twin;
}

static bool copy_attributes(const struct launch *launch, const struct recording *recording) {
    for (unsigned i = 0; i < sizeof settable / sizeof *settable; i++) {
        int wanted = attribute(launch, settable[i]), present = 0;
        cu.cuFuncGetAttribute(&present, settable[i], recording->function);
        Result result = wanted == present ? SUCCESS : cu.cuFuncSetAttribute(recording->function, settable[i], wanted);
        if (result != SUCCESS)
            return fail(recording, "cuFuncSetAttribute", result);
    }
    return true;
}

static bool map_log(struct recording *recording, int fd, size_t bytes, Device_pointer *log) {
    recording->log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (recording->log == MAP_FAILED) {
        recording->log = NULL;
        return fail(recording, "mmap", NOT_FOUND);
    }
    recording->log_bytes = bytes;
    Result result = cu.cuMemHostRegister(recording->log, bytes, REGISTERED_PORTABLE | REGISTERED_MAPPED);
    if (result != SUCCESS) {
        munmap(recording->log, bytes);
        recording->log = NULL;
        return fail(recording, "cuMemHostRegister", result);
    }
    result = cu.cuMemHostGetDevicePointer(log, recording->log, 0);
    return result == SUCCESS || fail(recording, "cuMemHostGetDevicePointer", result);
}

static unsigned from_hex(const char *text, unsigned char *bytes, unsigned most) {
    unsigned count = 0, value;
    while (count < most && sscanf(text, "%2x", &value) == 1) {
        bytes[count++] = value;
        text += 2;
    }
    return count;
}

/* The control block: what the server made of it, with the log's address where that belongs. */
static bool set_control(const struct launch *launch, struct recording *recording, struct reply *reply,
    Device_pointer log) {
    char symbol[128] = "";
    unsigned offset = 0;
    unsigned char block[256];
    const char *control = field(reply, "control"), *bytes = field(reply, "bytes");
    if (!control || !bytes || sscanf(control, "%127s %u", symbol, &offset) != 2)
        return fail(recording, "control", NOT_FOUND);
    unsigned size = from_hex(bytes, block, sizeof block);
    if (offset + sizeof log > size)
        return fail(recording, "control", NOT_FOUND);
    memcpy(block + offset, &log, sizeof log);
    Device_pointer place;
    size_t room;
    Result result = cu.cuModuleGetGlobal(&place, &room, recording->twin->module, symbol);
    if (result == SUCCESS)
        result = cu.cuMemcpyHtoDAsync(place, block, size < room ? size : room, launch->stream);
    return result == SUCCESS || fail(recording, symbol, result);
}

static bool copy_variables(const struct launch *launch, struct recording *recording, const struct reply *reply) {
    const struct kernel *kernel = launch->kernel;
    for (const char *line = field(reply, "variable"); line; line = next_field(line, "variable")) {
        char space[16], name[4096];
        Device_pointer original, twin;
        size_t bytes = 0, twin_bytes = 0;
        if (sscanf(line, "%15s %4095s", space, name) != 2)
            continue;
        if (cu.cuModuleGetGlobal(&twin, &twin_bytes, recording->twin->module, name) != SUCCESS)
            continue; /* the assembler left it out: the twin does not use it */
        Result result = kernel->is_library ? cu.cuLibraryGetGlobal(&original, &bytes, kernel->owner, name)
                                           : cu.cuModuleGetGlobal(&original, &bytes, kernel->owner, name);
        /* What the original has no name for nobody can have set; whether its kernels did is for the server to know. */
        if (result != SUCCESS && strcmp(space, "global"))
            continue;
        if (result == SUCCESS && bytes == twin_bytes)
            result = cu.cuMemcpyDtoDAsync(twin, original, bytes, launch->stream);
        if (result != SUCCESS || bytes != twin_bytes)
            return fail(recording, name, result ? result : NOT_FOUND);
        if (!strcmp(space, "const"))
            continue;
        if (recording->written_count == MOST_VARIABLES)
            return fail(recording, name, NOT_FOUND);
        recording->written[recording->written_count].original = original;
        recording->written[recording->written_count].twin = twin;
        recording->written[recording->written_count++].bytes = bytes;
    }
    return true;
}

static void tell_start(const struct launch *launch, const struct recording *recording) {
    struct message message;
    int registers = 0, local = 0;
    if (!open_message(&message, "start"))
        return;
    cu.cuFuncGetAttribute(&registers, REGISTERS, recording->function);
    cu.cuFuncGetAttribute(&local, LOCAL, recording->function);
    add(&message, "recording %d\nregisters %d\nlocal %d\n", recording->id, registers, local);
    size_t offset, size;
    for (size_t i = 0; launch->parameters && !cu.cuFuncGetParamInfo(recording->function, i, &offset, &size); i++)
        describe_tensor_maps(&message, launch->parameters[i], size, offset);
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

static void give_back(struct recording *recording) {
    if (recording->log) {
        cu.cuMemHostUnregister(recording->log);
        munmap(recording->log, recording->log_bytes);
    }
    if (recording->begin)
        cu.cuEventDestroy(recording->begin);
    if (recording->end)
        cu.cuEventDestroy(recording->end);
    if (recording->twin)
        __atomic_store_n(&recording->twin->busy, false, __ATOMIC_RELEASE);
    cu.cuThreadExchangeStreamCaptureMode(&recording->capture_mode);
}

static bool prepare(const struct launch *launch, struct recording *recording, struct reply *reply, Handle context) {
    const char *id = field(reply, "recording"), *entry = field(reply, "entry"), *log_bytes = field(reply, "log");
    char name[4096];
    if (!id || !entry || !log_bytes || reply->count < 1 || sscanf(entry, "%4095s", name) != 1)
        return false; /* the server has said why in its own words */
    recording->id = atoi(id);
    if (!recording->twin) {
        recording->twin = reply->count > 1 ? load(launch->kernel, context, reply->fds[1], name, recording) : NULL;
        if (!recording->twin)
            return false;
        recording->twin->busy = true;
    }
    recording->function = recording->twin->function;
    Device_pointer log;
    if (!copy_attributes(launch, recording) || !map_log(recording, reply->fds[0], strtoull(log_bytes, NULL, 10), &log) ||
        !set_control(launch, recording, reply, log) || !copy_variables(launch, recording, reply))
        return false;
    Result result = cu.cuEventCreate(&recording->begin, 0);
    if (result == SUCCESS)
        result = cu.cuEventCreate(&recording->end, 0);
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
        give_back(recording);
    return ready;
}

static Result wait_for(const struct recording *recording) {
    struct board *board = connected();
    const struct timespec pause = {0, 50000};
    Result result;
    while ((result = cu.cuEventQuery(recording->end)) == NOT_READY) {
        if (!board || __atomic_load_n(&board->released[recording->id % BOARD_RECORDINGS], __ATOMIC_ACQUIRE) ||
            server_is_gone())
            break;
        nanosleep(&pause, NULL);
    }
    return result;
}

bool end_recording(const struct launch *launch, struct recording *recording, Result result) {
    struct message message;
    if (result != SUCCESS) {
        fail(recording, "cuLaunchKernel", result);
        give_back(recording);
        return false;
    }
    for (unsigned i = 0; i < recording->written_count; i++)
        cu.cuMemcpyDtoDAsync(recording->written[i].original, recording->written[i].twin, recording->written[i].bytes,
            launch->stream);
    cu.cuEventRecord(recording->end, launch->stream);
    result = wait_for(recording);
    if (result == NOT_READY) {
        /* It goes on without us: log and twin stay as they are. */
        cu.cuThreadExchangeStreamCaptureMode(&recording->capture_mode);
        return true;
    }
    float ms = 0;
    const char *name = NULL;
    if (result == SUCCESS)
        cu.cuEventElapsedTime(&ms, recording->begin, recording->end);
    cu.cuGetErrorName(result, &name);
    if (open_message(&message, "end")) {
        add(&message, "recording %d\nresult %d %s\nms %.6f\n", recording->id, result, name ? name : "", ms);
        tell_and_close(&message);
    }
    give_back(recording);
    return true;
}
