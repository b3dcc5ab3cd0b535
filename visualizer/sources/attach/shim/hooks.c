/* What stands in front of the driver: the functions that a program finds instead of the driver's.

A program comes by those in three ways, all of which lead here: it is linked against them, it asks dlsym, or it asks
cuGetProcAddress, which is how every CUDA runtime does it. lookup.c answers the two that ask. */
#include "hooks.h"
#include <string.h>

/* A module that was loaded is remembered, for the time when one of its kernels is launched. */
#define LOADED(owner, image, is_file, call)                                                                            \
    Result result = call;                                                                                              \
    if (result == SUCCESS)                                                                                             \
        remember_image(*(owner), image, is_file);                                                                      \
    return result;

EXPORT Result cuModuleLoad(Handle *module, const char *file) {
    LOADED(module, file, true, REAL(cuModuleLoad)(module, file))
}
EXPORT Result cuModuleLoadData(Handle *module, const void *image) {
    LOADED(module, image, false, REAL(cuModuleLoadData)(module, image))
}
EXPORT Result cuModuleLoadDataEx(Handle *module, const void *image, unsigned count, void *options, void *values) {
    LOADED(module, image, false, REAL(cuModuleLoadDataEx)(module, image, count, options, values))
}
EXPORT Result cuModuleLoadFatBinary(Handle *module, const void *image) {
    LOADED(module, image, false, REAL(cuModuleLoadFatBinary)(module, image))
}
EXPORT Result cuLibraryLoadData(Handle *library, const void *image, void *a, void *b, unsigned n, void *c, void *d,
    unsigned m) {
    LOADED(library, image, false, REAL(cuLibraryLoadData)(library, image, a, b, n, c, d, m))
}
EXPORT Result cuLibraryLoadFromFile(Handle *library, const char *file, void *a, void *b, unsigned n, void *c, void *d,
    unsigned m) {
    LOADED(library, file, true, REAL(cuLibraryLoadFromFile)(library, file, a, b, n, c, d, m))
}
EXPORT Result cuModuleUnload(Handle module) {
    forget_images(module);
    return REAL(cuModuleUnload)(module);
}
EXPORT Result cuLibraryUnload(Handle library) {
    forget_images(library);
    return REAL(cuLibraryUnload)(library);
}
EXPORT Result cuLibraryGetModule(Handle *module, Handle library) {
    Result result = REAL(cuLibraryGetModule)(module, library);
    if (result == SUCCESS)
        remember_alias(*module, library, false);
    return result;
}
EXPORT Result cuKernelGetFunction(Handle *function, Handle kernel) {
    Result result = REAL(cuKernelGetFunction)(function, kernel);
    if (result == SUCCESS)
        remember_alias(*function, kernel, true);
    return result;
}

/* A chosen launch goes to the twin; if that cannot be, and every other time, the original runs. */
#define AROUND(launch_of, handle, on, grid_, block_, shared_, attributes_, attribute_count_, parameters_, extra_, run) \
    struct launch launch = {.function = handle, .grid = grid_, .block = block_, .shared = shared_, .stream = on,       \
        .attributes = attributes_, .attribute_count = attribute_count_, .parameters = parameters_, .extra = extra_};   \
    if ((launch.kernel = chosen(handle, grid_, block_, on, &launch.index))) {                                          \
        struct recording recording;                                                                                    \
        if (begin_recording(&launch, &recording)) {                                                                    \
            Handle f = recording.function;                                                                             \
            Result result = REAL(launch_of) run;                                                                       \
            if (await_recording(&launch, &recording, result)) {                                                        \
                while ((f = next_round(&launch, &recording)))                                                          \
                    end_round(&launch, &recording, REAL(launch_of) run);                                               \
                end_recording(&launch, &recording);                                                                    \
                return result;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    Handle f = handle;                                                                                                 \
    return REAL(launch_of) run;

#define LAUNCHES(suffix, stream_of)                                                                                    \
    EXPORT Result cuLaunchKernel##suffix(Handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,          \
        unsigned by, unsigned bz, unsigned shared, Handle stream, void **parameters, void **extra) {                   \
        const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};                                                \
        AROUND(cuLaunchKernel##suffix, function, stream_of(stream), grid, block, shared, NULL, 0, parameters, extra,   \
            (f, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra))                                            \
    }                                                                                                                  \
    EXPORT Result cuLaunchKernelEx##suffix(const struct launch_config *config, Handle function, void **parameters,     \
        void **extra) {                                                                                                \
        AROUND(cuLaunchKernelEx##suffix, function, stream_of(config->stream), config->grid, config->block,             \
            config->shared, config->attributes, config->count, parameters, extra, (config, f, parameters, extra))      \
    }                                                                                                                  \
    EXPORT Result cuLaunchCooperativeKernel##suffix(Handle function, unsigned gx, unsigned gy, unsigned gz,            \
        unsigned bx, unsigned by, unsigned bz, unsigned shared, Handle stream, void **parameters) {                    \
        const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};                                                \
        AROUND(cuLaunchCooperativeKernel##suffix, function, stream_of(stream), grid, block, shared, NULL, 0,           \
            parameters, NULL, (f, gx, gy, gz, bx, by, bz, shared, stream, parameters))                                 \
    }
#define AS_IT_IS(stream) (stream)
#define OF_THREAD(stream) ((stream) ? (stream) : PER_THREAD_STREAM)
LAUNCHES(, AS_IT_IS)
LAUNCHES(_ptsz, OF_THREAD)

/* Of a tensor map is told what one copy through it brings. */
EXPORT Result cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dimensions,
    const uint64_t *strides, const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion,
    int fill) {
    Result result = REAL(cuTensorMapEncodeTiled)(map, type, rank, address, dimensions, strides, box, steps, interleave,
        swizzle, promotion, fill);
    if (result == SUCCESS)
        remember_tensor_map(map, type, box, rank);
    return result;
}
EXPORT Result cuTensorMapEncodeIm2col(void *map, int type, uint32_t rank, void *address, const uint64_t *dimensions,
    const uint64_t *strides, const int *lower, const int *upper, uint32_t channels, uint32_t pixels,
    const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
    Result result = REAL(cuTensorMapEncodeIm2col)(map, type, rank, address, dimensions, strides, lower, upper, channels,
        pixels, steps, interleave, swizzle, promotion, fill);
    if (result == SUCCESS)
        remember_tensor_map(map, type, (const uint32_t[2]){channels, pixels}, 2);
    return result;
}
EXPORT Result cuTensorMapReplaceAddress(void *map, void *address) {
    char before[TENSOR_MAP_BYTES];
    memcpy(before, map, sizeof before);
    Result result = REAL(cuTensorMapReplaceAddress)(map, address);
    if (result == SUCCESS)
        remember_moved_map(before, map);
    return result;
}
