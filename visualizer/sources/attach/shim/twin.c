/* The twin of a kernel: its module, and what it takes over from the original before it is launched. */
#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const int settable[] = {8, 9, 14, 15}; /* dynamic shared memory, carve-out, non-portable cluster, scheduling */

/* Says why this launch runs as it always did. */
bool fail(const struct recording *recording, const char *step, Result result) {
    struct message message;
    const char *name = NULL;
    cu.cuGetErrorName(result, &name);
    if (open_message(&message, "failed")) {
        add(&message, "recording %d\nstep %s\nresult %d %s\n", recording->id, step, result, name ? name : "");
        tell_and_close(&message);
    }
    return false;
}

int attribute(const struct launch *launch, int which) {
    int value = 0, device = 0;
    if (launch->kernel->is_library) {
        cu.cuCtxGetDevice(&device);
        if (cu.cuKernelGetAttribute(&value, which, launch->function, device) == SUCCESS)
            return value;
    }
    return cu.cuFuncGetAttribute(&value, which, launch->function) == SUCCESS ? value : 0;
}

struct twin *load_module(struct kernel *kernel, Handle context, int fd, const char *entry,
    const struct recording *recording) {
    struct twin *twin = calloc(1, sizeof *twin);
    off_t size = lseek(fd, 0, SEEK_END);
    void *image = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (!twin || image == MAP_FAILED) {
        free(twin);
        fail(recording, "mmap", NOT_FOUND);
        return NULL;
    }
    Result result = cu.cuModuleLoadData(&twin->module, image);
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

bool copy_attributes(const struct launch *launch, const struct recording *recording) {
    for (unsigned i = 0; i < sizeof settable / sizeof *settable; i++) {
        int wanted = attribute(launch, settable[i]), present = 0;
        cu.cuFuncGetAttribute(&present, settable[i], recording->function);
        Result result = wanted == present ? SUCCESS : cu.cuFuncSetAttribute(recording->function, settable[i], wanted);
        if (result != SUCCESS)
            return fail(recording, "cuFuncSetAttribute", result);
    }
    return true;
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
bool set_control(const struct launch *launch, struct recording *recording, struct reply *reply,
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
    recording->address_at = place + offset;
    if (result == SUCCESS)
        result = cu.cuMemcpyHtoDAsync(place, block, size < room ? size : room, launch->stream);
    return result == SUCCESS || fail(recording, symbol, result);
}

bool copy_variables(const struct launch *launch, struct recording *recording, const struct reply *reply) {
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
