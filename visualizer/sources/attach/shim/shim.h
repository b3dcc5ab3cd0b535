/* What the parts of the shim share.

The shim is preloaded into somebody else's program. It sees modules being loaded and kernels being launched, asks the
server on the other side of a socket which launches to record, and launches an instrumented twin instead of those. All
that needs thinking - reading images, rewriting PTX, assembling it, understanding logs - happens in the server. Whatever
goes wrong here, the program's own kernel is launched as if nobody watched.

No CUDA header is needed to build it: the few types of the driver's interface are declared here. */
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int Result; /* CUresult */
typedef void *Handle; /* CUmodule, CUlibrary, CUfunction, CUkernel, CUstream, CUcontext, CUevent */
typedef uint64_t Device_pointer; /* CUdeviceptr */

enum { SUCCESS = 0, NOT_FOUND = 500, NOT_READY = 600 };
enum { CAPTURE_RELAXED = 2 };
#define PER_THREAD_STREAM ((Handle)2)

/* CUlaunchConfig, CUlaunchAttribute */
struct launch_attribute {
    int id;
    int pad;
    union {
        unsigned dimension[3];
        char bytes[64];
    } value;
};
struct launch_config {
    unsigned grid[3], block[3], shared;
    Handle stream;
    struct launch_attribute *attributes;
    unsigned count;
};

/* driver.c: the driver itself, past our own hooks. */
#define DRIVER(X)                                                                                                      \
    X(cuCtxGetCurrent, "cuCtxGetCurrent", (Handle *))                                                                  \
    X(cuCtxGetDevice, "cuCtxGetDevice", (int *))                                                                       \
    X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                                                 \
    X(cuDeviceGetName, "cuDeviceGetName", (char *, int, int))                                                          \
    X(cuDriverGetVersion, "cuDriverGetVersion", (int *))                                                               \
    X(cuKernelGetName, "cuKernelGetName", (const char **, Handle))                                                     \
    X(cuKernelGetLibrary, "cuKernelGetLibrary", (Handle *, Handle))                                                    \
    X(cuKernelGetAttribute, "cuKernelGetAttribute", (int *, int, Handle, int))                                         \
    X(cuLibraryGetGlobal, "cuLibraryGetGlobal", (Device_pointer *, size_t *, Handle, const char *))                    \
    X(cuFuncGetName, "cuFuncGetName", (const char **, Handle))                                                         \
    X(cuFuncGetModule, "cuFuncGetModule", (Handle *, Handle))                                                          \
    X(cuFuncGetAttribute, "cuFuncGetAttribute", (int *, int, Handle))                                                  \
    X(cuFuncSetAttribute, "cuFuncSetAttribute", (Handle, int, int))                                                    \
    X(cuFuncGetParamInfo, "cuFuncGetParamInfo", (Handle, size_t, size_t *, size_t *))                                  \
    X(cuModuleLoadData, "cuModuleLoadData", (Handle *, const void *))                                                  \
    X(cuModuleGetFunction, "cuModuleGetFunction", (Handle *, Handle, const char *))                                    \
    X(cuModuleGetGlobal, "cuModuleGetGlobal_v2", (Device_pointer *, size_t *, Handle, const char *))                   \
    X(cuMemHostRegister, "cuMemHostRegister_v2", (void *, size_t, unsigned))                                           \
    X(cuMemHostUnregister, "cuMemHostUnregister", (void *))                                                            \
    X(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", (Device_pointer *, void *, unsigned))                 \
    X(cuMemAllocAsync, "cuMemAllocAsync", (Device_pointer *, size_t, Handle))                                          \
    X(cuMemFreeAsync, "cuMemFreeAsync", (Device_pointer, Handle))                                                      \
    X(cuMemsetD8Async, "cuMemsetD8Async", (Device_pointer, unsigned char, size_t, Handle))                             \
    X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, Device_pointer, size_t, Handle))                             \
    X(cuStreamCreate, "cuStreamCreate", (Handle *, unsigned))                                                          \
    X(cuStreamDestroy, "cuStreamDestroy_v2", (Handle))                                                                 \
    X(cuStreamQuery, "cuStreamQuery", (Handle))                                                                        \
    X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (Device_pointer, const void *, size_t, Handle))                       \
    X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (Device_pointer, Device_pointer, size_t, Handle))                     \
    X(cuEventCreate, "cuEventCreate", (Handle *, unsigned))                                                            \
    X(cuEventRecord, "cuEventRecord", (Handle, Handle))                                                                \
    X(cuEventQuery, "cuEventQuery", (Handle))                                                                          \
    X(cuEventElapsedTime, "cuEventElapsedTime", (float *, Handle, Handle))                                             \
    X(cuEventDestroy, "cuEventDestroy_v2", (Handle))                                                                   \
    X(cuStreamIsCapturing, "cuStreamIsCapturing", (Handle, int *))                                                     \
    X(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *))                                 \
    X(cuGetErrorName, "cuGetErrorName", (Result, const char **))
#define FIELD(name, symbol, arguments) Result(*name) arguments;
extern struct driver {
    DRIVER(FIELD)
} cu;
#undef FIELD
typedef void *Find(void *library, const char *symbol);
Find *original_dlsym(void); /* the C library's, past our own */
void *real_dlsym(void *library, const char *symbol);
void *driver_symbol(const char *name); /* from libcuda, loaded if need be; NULL: there is none */
const char *missing_symbol(void); /* the first function of `cu` that this driver lacks; NULL: it has all */

/* channel.c: the server. */
enum { MESSAGE_BYTES = 65536, MOST_FDS = 3, BOARD_KERNELS = 4096, BOARD_RECORDINGS = 4096 };
struct reply {
    char text[MESSAGE_BYTES + 1];
    int fds[MOST_FDS];
    int count; /* of fds; the caller closes those it takes */
};
/* What both sides see at any time, also after either was killed. */
struct board {
    struct {
        uint64_t launches, captured;
    } kernels[BOARD_KERNELS];
    uint32_t released[BOARD_RECORDINGS]; /* not 0: do not wait for this recording any longer */
    uint32_t copies[BOARD_RECORDINGS]; /* how often a log has been copied while its kernel ran */
};
bool watched(void); /* somebody asked for this program to be watched */
void watch_from_now(const char *socket); /* by another server, which knows no kernel yet; NULL: by none */
struct board *connected(void); /* NULL: there is no server, or it is gone */
bool server_is_gone(void);
bool ask(const char *request, int fd, struct reply *reply); /* false: nobody answers; fd -1: none */
void tell(const char *message, const int *fds, int count);
const char *field(const struct reply *reply, const char *key); /* what follows `key ` on its first line; NULL: none */
const char *next_field(const char *previous, const char *key);
void close_fds(struct reply *reply);
int memory_file(const void *data, size_t size); /* an anonymous file that holds the data; -1: no memory */

/* A message while it is written. Not on the stack, which may be small, nor thread-local, which makes it smaller. */
struct message {
    char *text;
    size_t room, length;
};
bool open_message(struct message *message, const char *verb); /* false: no memory */
void close_message(struct message *message);
void tell_and_close(struct message *message);
void add(struct message *message, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* kernels.c: what was loaded, and which launches are chosen. */
struct kernel {
    const char *name;
    Handle owner; /* its CUlibrary or CUmodule */
    bool is_library;
    int image; /* serial of the image it came from */
    uint64_t first, last; /* launches to record, by index */
    uint64_t own_count;
    uint64_t *count, *captured;
    int id; /* the server's; -1: it does not know the kernel */
    struct twin *twins;
    struct kernel *next;
};
void remember_image(Handle owner, const void *image, bool is_file);
void remember_alias(Handle owner, Handle of, bool is_kernel);
void forget_images(Handle owner);
void forget_kernels(void); /* another server numbers them anew */
struct kernel *chosen(Handle function, const unsigned *grid, const unsigned *block, Handle stream, uint64_t *index);

/* tensor_maps.c */
enum { TENSOR_MAP_BYTES = 128 };
void remember_tensor_map(const void *map, int type, const uint32_t *box, unsigned rank);
void remember_moved_map(const void *before, const void *after);
void describe_tensor_maps(struct message *message, const unsigned char *bytes, size_t size, size_t offset);

/* A launch as the program asked for it, and one that is recorded. */
struct launch {
    struct kernel *kernel;
    Handle function;
    uint64_t index;
    const unsigned *grid, *block;
    unsigned shared;
    Handle stream; /* never 0 for the stream of this thread */
    const struct launch_attribute *attributes;
    unsigned attribute_count;
    void **parameters, **extra;
};
enum { MOST_VARIABLES = 256 };
struct recording {
    int id;
    Handle function; /* of the twin */
    struct twin *twin;
    Handle begin, end, written_back; /* events before and behind the launch, and once its variables are copied */
    struct log {
        void *memory; /* of this process, which the server sees too */
        size_t bytes, begun; /* begun: how many the server filled in */
        size_t headers, counts, streams, stream; /* where these begin, bytes of a stream: see log_format.py */
        int begins_again; /* a stream that is full */
        struct seen *seen; /* what is known of each stream, once its kernel has run for a while */
        Device_pointer address; /* as the GPU sees it */
        Handle copies; /* the stream that copies it from the GPU's memory; NULL: the GPU writes the host's */
        bool registered;
        int64_t copied_at;
    } log;
    struct {
        Device_pointer original, twin;
        size_t bytes;
    } written[MOST_VARIABLES]; /* variables that the kernel may have changed */
    unsigned written_count;
    int capture_mode; /* this thread's */
    float ms; /* of the recorded launch */
    Result outcome; /* of the recorded launch, once it was waited for; NOT_READY: it goes on without us */
    Device_pointer address_at; /* where the twin looks for its log's address */
    struct rounds {
        unsigned wanted, done; /* done: launches, two of a round */
        int limit_ms; /* of one launch; 0: none */
        bool stuck, hangs; /* stuck: beyond the limit; hangs: its launch is still running */
        const char *failed; /* why no more are done; NULL: nothing failed */
        struct log scratch; /* where the twin logs meanwhile */
        float *ms; /* the original's and the twin's in turn */
    } rounds;
};
/* log.c */
int64_t now(void); /* ns, of the clock that only goes forward */
Result open_log(struct log *log, int fd, bool device, Handle stream); /* its sizes are known */
bool copy_is_due(const struct log *log);
/* false: it cannot be read any more. `ended`: the kernel has, so that nothing else will be written. */
bool copy_log(struct log *log, bool ended, bool (*give_up)(const void *), const void *of);
void close_copies(struct log *log, Handle stream);
void close_log(struct log *log, Handle stream);

/* twin.c */
enum { STATIC_SHARED = 1, LOCAL = 3, REGISTERS = 4 }; /* attributes of functions */
struct twin {
    Handle context, module, function;
    bool busy; /* with a launch: its control block is in use */
    struct twin *next;
};
bool fail(const struct recording *recording, const char *step, Result result); /* false; tells the server why */
int attribute(const struct launch *launch, int which); /* of the original */
struct twin *load_module(struct kernel *kernel, Handle context, int fd, const char *entry,
    const struct recording *recording);
bool copy_attributes(const struct launch *launch, const struct recording *recording);
bool set_control(const struct launch *launch, struct recording *recording, struct reply *reply, Device_pointer log);
bool copy_variables(const struct launch *launch, struct recording *recording, const struct reply *reply);

/* recording.c */
bool begin_recording(const struct launch *launch, struct recording *recording);
/* Waits for it unless the server says not to. False: nothing ran, launch the original. */
bool await_recording(const struct launch *launch, struct recording *recording, Result result);
void end_recording(const struct launch *launch, struct recording *recording);

/* rounds.c: between the two, launch what `next_round` says, and tell `end_round` the result, until it says NULL. */
Handle next_round(const struct launch *launch, struct recording *recording);
void end_round(const struct launch *launch, struct recording *recording, Result result);
void describe_rounds(struct message *message, const struct rounds *rounds);
void close_rounds(const struct launch *launch, struct rounds *rounds);
