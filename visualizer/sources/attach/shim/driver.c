/* The driver's own functions, past the hooks that stand in front of them. */
#include "shim.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

struct driver cu;
static void *libcuda;
static const char *missing;
static pthread_once_t once = PTHREAD_ONCE_INIT;

Find *original_dlsym(void) {
    static Find *function;
    if (!function) {
        /* It has had several versions: of 64-bit Arm, x86-64, and of the C library that holds libdl's functions. */
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
        for (unsigned i = 0; i < sizeof versions / sizeof *versions && !function; i++)
            function = (Find *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    }
    return function;
}

void *real_dlsym(void *library, const char *name) { return original_dlsym()(library, name); }

static void open_driver(void) {
    libcuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!libcuda)
        return;
#define FIND(name, symbol, arguments)                                                                                  \
    cu.name = (Result(*) arguments)real_dlsym(libcuda, symbol);                                                        \
    if (!cu.name && !missing)                                                                                          \
        missing = symbol;
    DRIVER(FIND)
#undef FIND
}

void *driver_symbol(const char *name) {
    pthread_once(&once, open_driver);
    return libcuda ? real_dlsym(libcuda, name) : NULL;
}

const char *missing_symbol(void) {
    pthread_once(&once, open_driver);
    return libcuda ? missing : "libcuda.so.1";
}
