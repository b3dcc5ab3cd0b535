/* How programs come by a function of the driver, and get the hook in front of it instead. */
#include "hooks.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { PER_THREAD_DEFAULT_STREAM = 2, SECOND_VERSION = 12000 };

static struct {
    const char *name;
    void *hook, *original;
} hooks[HOOK_COUNT] = {
#define HOOK(name) {#name, (void *)name, NULL},
    DRIVER_HOOKS(HOOK) NVRTC_HOOKS(HOOK)
#undef HOOK
};

static Result absent(void) { return NOT_FOUND; }

void *original(int hook) {
    void *known = __atomic_load_n(&hooks[hook].original, __ATOMIC_ACQUIRE);
    if (!known) {
        known = hook < HOOK_nvrtcCreateProgram ? driver_symbol(hooks[hook].name) : nvrtc_symbol(hooks[hook].name);
        if (!known)
            known = (void *)absent;
        __atomic_store_n(&hooks[hook].original, known, __ATOMIC_RELEASE);
    }
    return known;
}

void *genuine(int hook) {
    void *known = original(hook);
    if (known != (void *)absent)
        return known;
    __atomic_store_n(&hooks[hook].original, NULL, __ATOMIC_RELEASE); /* it may be loaded later */
    return NULL;
}

void *hook_of_number(int hook) { return hooks[hook].hook; }

static int hook_named(const char *symbol) {
    if (!symbol || (strncmp(symbol, "cu", 2) && strncmp(symbol, "nvrtc", 5)))
        return -1;
    for (int i = 0; i < HOOK_COUNT; i++)
        if (!strcmp(hooks[i].name, symbol))
            return i;
    return -1;
}

void *hook_of(const char *symbol) {
    int hook = hook_named(symbol);
    return hook < 0 ? NULL : hooks[hook].hook;
}

void *hooked(const char *symbol, void *function) {
    int hook = watched() && function ? hook_named(symbol) : -1;
    if (hook < 0 || function == hooks[hook].hook)
        return function;
    void *none = NULL;
    __atomic_compare_exchange_n(&hooks[hook].original, &none, function, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return hooks[hook].hook;
}

static void *hooked_version(const char *symbol, void *function, int version, uint64_t flags) {
    char name[128] = "";
    if (!strcmp(symbol, "cuGetProcAddress"))
        return hooked(version >= SECOND_VERSION ? "cuGetProcAddress_v2" : symbol, function);
    if (flags & PER_THREAD_DEFAULT_STREAM)
        snprintf(name, sizeof name, "%s_ptsz", symbol);
    return hooked(hook_named(name) >= 0 ? name : symbol, function);
}

EXPORT Result cuGetProcAddress(const char *symbol, void **function, int version, uint64_t flags) {
    Result result = REAL(cuGetProcAddress)(symbol, function, version, flags);
    if (result == SUCCESS && symbol && function)
        *function = hooked_version(symbol, *function, version, flags);
    return result;
}

EXPORT Result cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status) {
    Result result = REAL(cuGetProcAddress_v2)(symbol, function, version, flags, status);
    if (result == SUCCESS && symbol && function)
        *function = hooked_version(symbol, *function, version, flags);
    return result;
}

static void *find_hooked(void *library, const char *symbol) { return hooked(symbol, real_dlsym(library, symbol)); }

/* The C library looks at who calls it where `library` is RTLD_NEXT, so it must be entered by a jump, as if the caller
had called it himself: the last statement has to stay a tail call, which is what -O2 makes of it. */
EXPORT void *dlsym(void *restrict library, const char *restrict symbol) {
    adopt_new();
    Find *find = hook_named(symbol) >= 0 ? find_hooked : original_dlsym();
    return find(library, symbol);
}
