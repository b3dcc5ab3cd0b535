/* A program that uses a GPU, for tests: does what its arguments say, one after the other.

    linked | dlsym | proc | thread     how it comes by the driver's functions; thread: proc with per-thread streams
    load FILE | library FILE | file FILE   a module, a library, a module from a file
    launch NAME [ex|cooperative|capture]   of the module loaded last
    dynamic NAME BYTES                 a kernel's dynamic shared memory
    watch LIBRARY SOCKET | leave LIBRARY   be watched from now on, or no more
    map | unload | sync | fork | kill | exit STATUS */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int R;
typedef void *H;
#define FUNCTIONS(X)                                                                                                   \
    X(cuModuleLoadData, (H *, const void *))                                                                           \
    X(cuModuleLoad, (H *, const char *))                                                                               \
    X(cuModuleUnload, (H))                                                                                             \
    X(cuModuleGetFunction, (H *, H, const char *))                                                                     \
    X(cuFuncSetAttribute, (H, int, int))                                                                               \
    X(cuLibraryLoadData, (H *, const void *, void *, void *, unsigned, void *, void *, unsigned))                      \
    X(cuLibraryGetKernel, (H *, H, const char *))                                                                      \
    X(cuKernelSetAttribute, (int, int, H, int))                                                                        \
    X(cuLaunchKernel, (H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **, void **))  \
    X(cuLaunchKernelEx, (const void *, H, void **, void **))                                                           \
    X(cuLaunchCooperativeKernel, (H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **))\
    X(cuTensorMapEncodeTiled, (void *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,    \
        const uint32_t *, int, int, int, int))                                                                         \
    X(cuStreamSynchronize, (H))
#define DECLARE(name, arguments) R name arguments;
FUNCTIONS(DECLARE)
static struct {
#define FIELD(name, arguments) R(*name) arguments;
    FUNCTIONS(FIELD)
} cu;
struct config {
    unsigned grid[3], block[3], shared;
    H stream;
    void *attributes;
    unsigned count;
};

static void come_by(const char *how) {
    H driver = dlopen("libcuda.so.1", RTLD_NOW);
    R (*proc)(const char *, H *, int, uint64_t, int *) = dlsym(driver, "cuGetProcAddress_v2");
    int status;
#define LINKED(name, arguments) cu.name = name;
#define ASKED(name, arguments) cu.name = (R(*) arguments)dlsym(driver, #name);
#define GIVEN(name, arguments) proc(#name, (H *)&cu.name, 12000, strcmp(how, "thread") ? 0 : 2, &status);
    if (!strcmp(how, "linked")) {
        FUNCTIONS(LINKED)
    } else if (!strcmp(how, "dlsym")) {
        FUNCTIONS(ASKED)
    } else {
        FUNCTIONS(GIVEN)
    }
}

static char *content(const char *path) {
    char *text = calloc(1, 65536);
    FILE *file = fopen(path, "r");
    if (!file || !fread(text, 1, 65535, file))
        exit(99);
    fclose(file);
    return text;
}

int main(int count, char **arguments) {
    H module = NULL, function = NULL;
    int is_library = 0;
    static unsigned char map[128] __attribute__((aligned(64)));
    void *parameters[] = {map};
    come_by(arguments[1]);
    for (int i = 2; i < count; i++) {
        const char *word = arguments[i], *next = i + 1 < count ? arguments[i + 1] : "";
        R result = 0;
        if (!strcmp(word, "load") || !strcmp(word, "library")) {
            char *text = content(next);
            is_library = !strcmp(word, "library");
            result = is_library ? cu.cuLibraryLoadData(&module, text, 0, 0, 0, 0, 0, 0)
                                : cu.cuModuleLoadData(&module, text);
            free(text);
            i++;
        } else if (!strcmp(word, "file")) {
            is_library = 0;
            result = cu.cuModuleLoad(&module, next);
            i++;
        } else if (!strcmp(word, "launch") || !strcmp(word, "dynamic")) {
            result = is_library ? cu.cuLibraryGetKernel(&function, module, next)
                                : cu.cuModuleGetFunction(&function, module, next);
            const char *way = i + 2 < count ? arguments[i + 2] : "";
            i++;
            if (result)
                ;
            else if (!strcmp(word, "dynamic")) {
                result = is_library ? cu.cuKernelSetAttribute(8, atoi(way), function, 0)
                                    : cu.cuFuncSetAttribute(function, 8, atoi(way));
                i++;
            } else if (!strcmp(way, "ex")) {
                struct config config = {{2, 1, 1}, {64, 1, 1}, 0, NULL, NULL, 0};
                result = cu.cuLaunchKernelEx(&config, function, parameters, NULL);
                i++;
            } else if (!strcmp(way, "cooperative")) {
                result = cu.cuLaunchCooperativeKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, parameters);
                i++;
            } else if (!strcmp(way, "capture")) {
                result = cu.cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, (H)0xCA, parameters, NULL);
                i++;
            } else
                result = cu.cuLaunchKernel(function, 2, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL);
        } else if (!strcmp(word, "map")) {
            uint64_t sizes[2] = {4096, 2048}, strides[1] = {8192};
            uint32_t box[2] = {64, 128}, steps[2] = {1, 1};
            result = cu.cuTensorMapEncodeTiled(map, 6, 2, (void *)0x7000, sizes, strides, box, steps, 0, 3, 0, 0);
        } else if (!strcmp(word, "unload"))
            result = cu.cuModuleUnload(module);
        else if (!strcmp(word, "sync"))
            result = cu.cuStreamSynchronize(NULL);
        else if (!strcmp(word, "watch")) {
            H library = dlopen(next, RTLD_NOW);
            void (*watch)(const char *) = (void (*)(const char *))dlsym(library, "phasescope_watch");
            watch(arguments[i + 2]);
            i += 2;
        } else if (!strcmp(word, "leave"))
            ((void (*)(void))dlsym(dlopen(arguments[i + 1], RTLD_NOW), "phasescope_leave"))(), i++;
        else if (!strcmp(word, "fork")) {
            pid_t child = fork();
            int status;
            if (child) {
                waitpid(child, &status, 0);
                return WEXITSTATUS(status);
            }
        } else if (!strcmp(word, "kill"))
            raise(SIGKILL);
        else if (!strcmp(word, "exit"))
            return atoi(next);
        if (result) {
            printf("%s: error %d\n", word, result);
            return 98;
        }
    }
    return 0;
}
