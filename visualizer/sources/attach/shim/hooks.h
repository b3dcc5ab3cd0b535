/* Which functions are hooked, and how a hook finds what it stands in front of. */
#pragma once
#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

#define DRIVER_HOOKS(X)                                                                                                \
    X(cuModuleLoad)                                                                                                    \
    X(cuModuleLoadData)                                                                                                \
    X(cuModuleLoadDataEx)                                                                                              \
    X(cuModuleLoadFatBinary)                                                                                           \
    X(cuModuleUnload)                                                                                                  \
    X(cuLibraryLoadData)                                                                                               \
    X(cuLibraryLoadFromFile)                                                                                           \
    X(cuLibraryUnload)                                                                                                 \
    X(cuLibraryGetModule)                                                                                              \
    X(cuKernelGetFunction)                                                                                             \
    X(cuLaunchKernel)                                                                                                  \
    X(cuLaunchKernel_ptsz)                                                                                             \
    X(cuLaunchKernelEx)                                                                                                \
    X(cuLaunchKernelEx_ptsz)                                                                                           \
    X(cuLaunchCooperativeKernel)                                                                                       \
    X(cuLaunchCooperativeKernel_ptsz)                                                                                  \
    X(cuTensorMapEncodeTiled)                                                                                          \
    X(cuTensorMapEncodeIm2col)                                                                                         \
    X(cuTensorMapReplaceAddress)                                                                                       \
    X(cuGetProcAddress)                                                                                                \
    X(cuGetProcAddress_v2)
#define NVRTC_HOOKS(X)                                                                                                 \
    X(nvrtcCreateProgram)                                                                                              \
    X(nvrtcCompileProgram)                                                                                             \
    X(nvrtcGetCUBIN)                                                                                                   \
    X(nvrtcDestroyProgram)

#define NUMBER(name) HOOK_##name,
enum { DRIVER_HOOKS(NUMBER) NVRTC_HOOKS(NUMBER) HOOK_COUNT };
#undef NUMBER

/* The function behind a hook, of the hook's own type. */
#define REAL(name) ((__typeof__(&name))original(HOOK_##name))
void *original(int hook);
void *genuine(int hook); /* the driver's or compiler's function, if that is loaded; NULL */
void *hook_of_number(int hook);
void *hook_of(const char *symbol); /* NULL: it is not hooked */
void adopt_new(void); /* where a running process is watched: libraries that were loaded since */
/* What a program that asks for this symbol and was given `function` gets instead. */
void *hooked(const char *symbol, void *function);

typedef Result Launch(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void **,
    void **);
typedef Result Launch_ex(const struct launch_config *, Handle, void **, void **);
typedef Result Launch_cooperative(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
    void **);
EXPORT Result cuModuleLoad(Handle *module, const char *file);
EXPORT Result cuModuleLoadData(Handle *module, const void *image);
EXPORT Result cuModuleLoadDataEx(Handle *module, const void *image, unsigned count, void *options, void *values);
EXPORT Result cuModuleLoadFatBinary(Handle *module, const void *image);
EXPORT Result cuModuleUnload(Handle module);
EXPORT Result cuLibraryLoadData(Handle *library, const void *image, void *options, void *option_values,
    unsigned option_count, void *library_options, void *library_values, unsigned library_count);
EXPORT Result cuLibraryLoadFromFile(Handle *library, const char *file, void *options, void *option_values,
    unsigned option_count, void *library_options, void *library_values, unsigned library_count);
EXPORT Result cuLibraryUnload(Handle library);
EXPORT Result cuLibraryGetModule(Handle *module, Handle library);
EXPORT Result cuKernelGetFunction(Handle *function, Handle kernel);
EXPORT Launch cuLaunchKernel, cuLaunchKernel_ptsz;
EXPORT Launch_ex cuLaunchKernelEx, cuLaunchKernelEx_ptsz;
EXPORT Launch_cooperative cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz;
EXPORT Result cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dimensions,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill);
EXPORT Result cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dimensions,
    const uint64_t *strides, const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
    const uint32_t *steps, int interleave, int swizzle, int promotion, int fill);
EXPORT Result cuTensorMapReplaceAddress(void *map, void *address);
EXPORT Result cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags);
EXPORT Result cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status);

/* nvrtc.c */
EXPORT int nvrtcCreateProgram(Handle *program, const char *source, const char *name, int count, const char *const *headers,
    const char *const *names);
EXPORT int nvrtcCompileProgram(Handle program, int count, const char *const *options);
EXPORT int nvrtcGetCUBIN(Handle program, char *cubin);
EXPORT int nvrtcDestroyProgram(Handle *program);
void *nvrtc_symbol(const char *name);
