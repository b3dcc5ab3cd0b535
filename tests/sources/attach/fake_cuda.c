/* A driver without a GPU, for tests of what stands in front of one: modules are lines of text, kernels are lines too.

    .entry NAME [hang|fault|refused|once]    a kernel that never ends; ends with an error; cannot be launched as a twin;
                                             never ends but as a twin
    //variable NAME BYTES               in "device" memory, which is this process's own

A kernel of a module with a variable "phasescope_control" is a twin: its warps say that they have begun, and it writes
eight numbers behind the log's first 1024 bytes; with FAKE_MADE=N in the environment all bytes of the streams, and that
each lane made N records and left. With FAKE_WRITTEN=N the second of two CTAs has not begun although its streams are
full, and of three lanes of the first one makes nothing, one N records, and one N and leaves; the second lane makes 100
others before each of the first two copies of the log. FAKE_COPIES names a file for the bytes of each copy from "device"
memory while a kernel hangs. Every launch adds one to the module's variable "counter", if it has one, and prints what
ran and its count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int R;
typedef void *H;
enum { MODULE = 0x4D4F44, LIBRARY = 0x4C4942, FUNCTION = 0x46554E, KERNEL = 0x4B4552, EVENT = 0x455645 };
struct variable {
    char name[64];
    size_t size;
    unsigned char *memory;
};
struct function {
    int kind;
    char name[256], behaviour[16];
    struct module *module;
    int attributes[16];
};
struct module {
    int kind, variable_count, function_count;
    struct variable variables[16];
    struct function functions[16];
};
struct event {
    int kind, state;
};
static int ran_twin; /* last */
static int state; /* of the one stream: 0 idle, 600 busy for ever, 700 faulted */

static R load(H *out, const char *text, int kind) {
    struct module *module = calloc(1, sizeof *module);
    module->kind = kind;
    char *copy = strdup(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n"))) {
        char word[32] = "", name[256] = "", third[32] = "";
        sscanf(line, "%31s %255s %31s", word, name, third);
        char *end = strchr(name, '(');
        if (end)
            *end = 0;
        if (!strcmp(word, ".entry")) {
            struct function *function = &module->functions[module->function_count++];
            function->kind = kind == LIBRARY ? KERNEL : FUNCTION;
            strcpy(function->name, name);
            strcpy(function->behaviour, third);
            function->module = module;
        } else if (!strcmp(word, "//variable")) {
            struct variable *variable = &module->variables[module->variable_count++];
            strcpy(variable->name, name);
            variable->size = atoi(third);
            variable->memory = calloc(1, variable->size);
        }
    }
    free(copy);
    *out = module;
    return 0;
}
R cuInit(unsigned flags) { return flags; }
R cuDriverGetVersion(int *version) { return *version = 13000, 0; }
R cuCtxGetCurrent(H *context) { return *context = (H)1, 0; }
R cuCtxGetDevice(int *device) { return *device = 0; }
R cuDeviceGetAttribute(int *value, int which, int device) {
    const char *sm = getenv("FAKE_SM");
    int number = sm ? atoi(sm) : 90;
    *value = which == 75 ? number / 10 : which == 76 ? number % 10 : device;
    return 0;
}
R cuDeviceGetName(char *name, int size, int device) { return snprintf(name, size, "Fake GPU %d", device), 0; }
R cuModuleLoadData(H *module, const void *image) { return load(module, image, MODULE); }
R cuModuleLoadDataEx(H *module, const void *image, unsigned n, void *o, void *v) {
    return (void)n, (void)o, (void)v, load(module, image, MODULE);
}
R cuModuleLoadFatBinary(H *module, const void *image) { return load(module, image, MODULE); }
R cuModuleLoad(H *module, const char *path) {
    char text[65536] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return 301;
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    return load(module, text, MODULE);
}
R cuModuleUnload(H module) { return module == NULL; }
R cuLibraryLoadData(H *library, const void *image, void *a, void *b, unsigned n, void *c, void *d, unsigned m) {
    return (void)a, (void)b, (void)n, (void)c, (void)d, (void)m, load(library, image, LIBRARY);
}
R cuLibraryLoadFromFile(H *library, const char *path, void *a, void *b, unsigned n, void *c, void *d, unsigned m) {
    R result = cuModuleLoad(library, path);
    (void)a, (void)b, (void)n, (void)c, (void)d, (void)m;
    if (!result)
        ((struct module *)*library)->kind = LIBRARY;
    return result;
}
R cuLibraryUnload(H library) { return library == NULL; }
R cuLibraryGetModule(H *module, H library) { return *module = library, 0; }
static R function_of(H *out, struct module *module, const char *name) {
    for (int i = 0; i < module->function_count; i++)
        if (!strcmp(module->functions[i].name, name))
            return *out = &module->functions[i], 0;
    return 500;
}
R cuModuleGetFunction(H *out, H module, const char *name) { return function_of(out, module, name); }
R cuLibraryGetKernel(H *out, H library, const char *name) { return function_of(out, library, name); }
R cuKernelGetFunction(H *out, H kernel) {
    struct function *copy = malloc(sizeof *copy);
    *copy = *(struct function *)kernel;
    copy->kind = FUNCTION;
    return *out = copy, 0;
}
static R name_of(const char **name, struct function *function, int kind) {
    return function->kind == kind ? (*name = function->name, 0) : 400;
}
R cuKernelGetName(const char **name, H kernel) { return name_of(name, kernel, KERNEL); }
R cuFuncGetName(const char **name, H function) { return name_of(name, function, FUNCTION); }
static R module_of(H *module, struct function *function, int kind) {
    return function->kind == kind ? (*module = function->module, 0) : 400;
}
R cuKernelGetLibrary(H *library, H kernel) { return module_of(library, kernel, KERNEL); }
R cuFuncGetModule(H *module, H function) { return module_of(module, function, FUNCTION); }
R cuKernelGetAttribute(int *value, int which, H kernel, int device) {
    return *value = ((struct function *)kernel)->attributes[which], device;
}
R cuKernelSetAttribute(int which, int value, H kernel, int device) {
    return ((struct function *)kernel)->attributes[which] = value, device;
}
R cuFuncGetAttribute(int *value, int which, H function) {
    return *value = ((struct function *)function)->attributes[which], 0;
}
R cuFuncSetAttribute(H function, int which, int value) {
    return ((struct function *)function)->attributes[which] = value, 0;
}
R cuFuncGetParamInfo(H function, size_t index, size_t *offset, size_t *size) {
    return (void)function, *offset = 112, *size = 128, index ? 1 : 0;
}
static R variable_of(uint64_t *out, size_t *size, struct module *module, const char *name) {
    for (int i = 0; i < module->variable_count; i++)
        if (!strcmp(module->variables[i].name, name))
            return *out = (uintptr_t)module->variables[i].memory, *size = module->variables[i].size, 0;
    return 500;
}
R cuModuleGetGlobal_v2(uint64_t *out, size_t *size, H module, const char *name) {
    return variable_of(out, size, module, name);
}
R cuLibraryGetGlobal(uint64_t *out, size_t *size, H library, const char *name) {
    return variable_of(out, size, library, name);
}
R cuMemHostRegister_v2(void *memory, size_t size, unsigned flags) {
    return (void)memory, (void)size, (void)flags, getenv("FAKE_NO_REGISTER") ? 801 : 0;
}
R cuMemHostUnregister(void *memory) { return memory == NULL; }
R cuMemHostGetDevicePointer_v2(uint64_t *out, void *memory, unsigned flags) {
    return *out = (uintptr_t)memory, flags;
}
R cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, H stream) {
    return (void)stream, memcpy((void *)(uintptr_t)to, from, size), 0;
}
R cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, H stream) {
    return (void)stream, memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size), 0;
}
R cuMemAllocAsync(uint64_t *out, size_t size, H stream) {
    return (void)stream, getenv("FAKE_FULL") ? 2 : (*out = (uintptr_t)malloc(size), 0);
}
R cuMemFreeAsync(uint64_t memory, H stream) { return (void)stream, free((void *)(uintptr_t)memory), 0; }
R cuMemsetD8Async(uint64_t memory, unsigned char value, size_t size, H stream) {
    return (void)stream, memset((void *)(uintptr_t)memory, value, size), 0;
}
static unsigned char *written, *growing; /* the log of a twin, and where a lane goes on in it */
static int growths;
R cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, H stream) {
    (void)stream;
    if (state == 600 && growing && from == (uintptr_t)written && growths++ < 2) {
        memset(growing, 0x66, 1600);
        growing += 1600;
    }
    FILE *copies = state == 600 && getenv("FAKE_COPIES") ? fopen(getenv("FAKE_COPIES"), "a") : NULL;
    if (copies) {
        fprintf(copies, "%zu\n", size);
        fclose(copies);
    }
    return state == 700 ? 700 : (memcpy(to, (void *)(uintptr_t)from, size), 0);
}
R cuStreamCreate(H *stream, unsigned flags) { return *stream = (H)0x51, flags == 0; }
R cuStreamDestroy_v2(H stream) { return stream == NULL; }
R cuStreamQuery(H stream) { return stream == NULL; }
R cuEventCreate(H *event, unsigned flags) { return *event = calloc(1, sizeof(struct event)), flags; }
R cuEventRecord(H event, H stream) { return (void)stream, ((struct event *)event)->state = state, 0; }
R cuEventQuery(H event) { return ((struct event *)event)->state; }
R cuEventElapsedTime(float *ms, H a, H b) { return (void)a, (void)b, *ms = ran_twin ? 0.25f : 0.2f, 0; }
R cuEventDestroy_v2(H event) { return free(event), 0; }
R cuStreamIsCapturing(H stream, int *status) { return *status = stream == (H)0xCA, 0; }
R cuStreamSynchronize(H stream) {
    (void)stream;
    while (state == 600)
        ;
    return state;
}
R cuThreadExchangeStreamCaptureMode(int *mode) { return *mode = 0; }
R cuGetErrorName(R result, const char **name) {
    return *name = result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : result == 801 ? "CUDA_ERROR_NOT_SUPPORTED" : "FAKE", 0;
}
R cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dimensions,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int a, int b, int c, int d) {
    (void)type, (void)strides, (void)steps, (void)a, (void)b, (void)c, (void)d;
    memset(map, 0, 128);
    memcpy(map, &address, 8);
    memcpy((char *)map + 8, dimensions, rank * 8);
    memcpy((char *)map + 64, box, rank * 4);
    return 0;
}
R cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dimensions) {
    return cuTensorMapEncodeTiled(map, type, rank, address, dimensions, NULL, (uint32_t[5]){0}, NULL, 0, 0, 0, 0);
}
R cuTensorMapReplaceAddress(void *map, void *address) { return memcpy(map, &address, 8), 0; }

static void fill(unsigned char *log, unsigned char *control, uint32_t made) {
    uint64_t counts = *(uint64_t *)(control + 16);
    uint32_t first = *(uint32_t *)(control + 24), rows = *(uint32_t *)(control + 28);
    uint32_t streams = 2 * *(uint32_t *)(control + 36) * 32; /* of the two CTAs that the program launches */
    memset(log + first * 16ull, 0x55, streams * rows * 16ull);
    for (uint32_t stream = 0; stream < streams; stream++)
        ((uint32_t *)(log + counts))[1 + stream] = 0x80000000 | (stream % 3 ? made : 0);
}
static void fill_some(unsigned char *log, unsigned char *control, uint32_t made) {
    uint64_t headers = *(uint64_t *)(control + 8), counts = *(uint64_t *)(control + 16);
    uint32_t first = *(uint32_t *)(control + 24), rows = *(uint32_t *)(control + 28), warps = *(uint32_t *)(control + 36);
    unsigned char *streams = log + first * 16ull;
    for (uint32_t warp = warps; warp < 2 * warps; warp++)
        *(uint32_t *)(log + headers + 64 * warp + 32) = 0;
    memset(streams + warps * 32 * rows * 16ull, 0x55, warps * 32 * rows * 16ull);
    for (uint32_t stream = 0; stream < warps * 32; stream++) {
        if (stream % 3)
            memset(streams + stream * rows * 16ull, 0x55, made * 16ull);
        if (stream % 3 == 2)
            ((uint32_t *)(log + counts))[1 + stream] = 0x80000000 | made;
    }
    written = log;
    growing = streams + (rows + made % rows) * 16ull;
}
static R run(struct function *function) {
    uint64_t place;
    size_t size;
    int is_twin = !variable_of(&place, &size, function->module, "phasescope_control");
    if (is_twin) {
        uint64_t *log = *(uint64_t **)(uintptr_t)place + 128;
        for (int i = 0; i < 8; i++)
            log[i] = i + 1;
        unsigned char *own = (unsigned char *)(log - 128), *control = (unsigned char *)(uintptr_t)place;
        for (uint32_t warp = 0; warp < 2 * *(uint32_t *)(control + 36); warp++)
            *(uint32_t *)(own + *(uint64_t *)(control + 8) + 64 * warp + 32) = 1;
        if (getenv("FAKE_MADE"))
            fill(own, control, atoi(getenv("FAKE_MADE")));
        if (getenv("FAKE_WRITTEN"))
            fill_some(own, control, atoi(getenv("FAKE_WRITTEN")));
    }
    ran_twin = is_twin;
    int count = 0;
    if (!variable_of(&place, &size, function->module, "counter"))
        count = ++*(unsigned char *)(uintptr_t)place;
    if (is_twin && !strcmp(function->behaviour, "refused"))
        return 701;
    printf("%s %s count %d shared %d\n", is_twin ? "twin" : "original", function->name, count, function->attributes[8]);
    fflush(stdout);
    if (!strcmp(function->behaviour, "hang") || (!strcmp(function->behaviour, "once") && !is_twin))
        state = 600;
    if (!strcmp(function->behaviour, "fault"))
        state = 700;
    return 0;
}
#define ALL unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned s, H stream
R cuLaunchKernel(H function, ALL, void **parameters, void **extra) {
    return (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)s, (void)stream, (void)parameters, (void)extra,
           run(function);
}
R cuLaunchKernel_ptsz(H function, ALL, void **parameters, void **extra) {
    return cuLaunchKernel(function, a, b, c, d, e, f, s, stream, parameters, extra);
}
R cuLaunchKernelEx(const void *config, H function, void **parameters, void **extra) {
    return (void)config, (void)parameters, (void)extra, run(function);
}
R cuLaunchKernelEx_ptsz(const void *config, H function, void **parameters, void **extra) {
    return cuLaunchKernelEx(config, function, parameters, extra);
}
R cuLaunchCooperativeKernel(H function, ALL, void **parameters) {
    return cuLaunchKernel(function, a, b, c, d, e, f, s, stream, parameters, NULL);
}
R cuLaunchCooperativeKernel_ptsz(H function, ALL, void **parameters) {
    return cuLaunchKernel(function, a, b, c, d, e, f, s, stream, parameters, NULL);
}

/* Without a hook in between these see the functions of this file alone. */
static H own(const char *symbol, uint64_t flags) {
    static H self;
    char name[128];
    if (!self) {
        Dl_info info;
        dladdr((void *)cuInit, &info);
        self = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    }
    snprintf(name, sizeof name, "%s%s", symbol, flags & 2 ? "_ptsz" : "");
    H found = dlsym(self, name);
    if (!found) {
        snprintf(name, sizeof name, "%s_v2", symbol);
        found = dlsym(self, name);
    }
    return found ? found : dlsym(self, symbol);
}
R cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    return (void)version, (*function = own(symbol, flags)) ? 0 : 500;
}
R cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    if (status)
        *status = 0;
    return cuGetProcAddress(symbol, function, version, flags);
}
