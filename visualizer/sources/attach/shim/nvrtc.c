/* The compiler that programs carry along: has it keep line numbers, and hands its source and PTX to the server.

A cubin holds no PTX that knows its lines, but the program object still does when the cubin is fetched. */
#include "hooks.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct program {
    Handle program;
    char *name, *source;
    struct program *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct program *programs;

static int note_library(struct dl_phdr_info *info, size_t size, void *found) {
    (void)size;
    const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (!base || strncmp(base, "/libnvrtc.so", 12))
        return 0;
    snprintf(found, 4096, "%s", info->dlpi_name);
    return 1;
}

/* From the library that is loaded: it may be one that only its user can see. */
void *nvrtc_symbol(const char *name) {
    char path[4096] = "";
    dl_iterate_phdr(note_library, path);
    void *library = path[0] ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return library ? real_dlsym(library, name) : NULL;
}

EXPORT int nvrtcCreateProgram(Handle *program, const char *source, const char *name, int count,
    const char *const *headers, const char *const *names) {
    int result = REAL(nvrtcCreateProgram)(program, source, name, count, headers, names);
    struct program *made = watched() && result == SUCCESS ? calloc(1, sizeof *made) : NULL;
    if (made) {
        made->program = *program;
        made->name = strdup(name ? name : "default_program");
        made->source = strdup(source ? source : "");
        pthread_mutex_lock(&lock);
        made->next = programs;
        programs = made;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static void hand_over_source(Handle program) {
    struct message message;
    pthread_mutex_lock(&lock);
    struct program *known = programs;
    while (known && known->program != program)
        known = known->next;
    int fd = known && known->name && known->source ? memory_file(known->source, strlen(known->source)) : -1;
    if (fd >= 0 && open_message(&message, "source")) {
        add(&message, "name %s\n", known->name);
        tell(message.text, &fd, 1);
        close_message(&message);
    }
    if (fd >= 0)
        close(fd);
    pthread_mutex_unlock(&lock);
}

EXPORT int nvrtcCompileProgram(Handle program, int count, const char *const *options) {
    bool keeps_lines = !watched();
    for (int i = 0; i < count; i++)
        keeps_lines |= strstr(options[i], "lineinfo") || strstr(options[i], "line-info") || !strcmp(options[i], "-G") ||
                       strstr(options[i], "device-debug");
    const char **more = keeps_lines ? NULL : malloc((count + 1) * sizeof *more);
    if (!more)
        return REAL(nvrtcCompileProgram)(program, count, options);
    if (count)
        memcpy(more, options, count * sizeof *more);
    more[count] = "-lineinfo";
    int result = REAL(nvrtcCompileProgram)(program, count + 1, more);
    free(more);
    if (result == SUCCESS)
        hand_over_source(program);
    return result;
}

EXPORT int nvrtcGetCUBIN(Handle program, char *cubin) {
    int result = REAL(nvrtcGetCUBIN)(program, cubin);
    int (*ptx_size)(Handle, size_t *) = watched() ? (int (*)(Handle, size_t *))nvrtc_symbol("nvrtcGetPTXSize") : NULL;
    int (*cubin_size)(Handle, size_t *) = (int (*)(Handle, size_t *))nvrtc_symbol("nvrtcGetCUBINSize");
    int (*get_ptx)(Handle, char *) = (int (*)(Handle, char *))nvrtc_symbol("nvrtcGetPTX");
    size_t text = 0, bytes = 0;
    if (result || !ptx_size || !cubin_size || !get_ptx || ptx_size(program, &text) || cubin_size(program, &bytes))
        return result;
    char *ptx = text > 1 ? malloc(text) : NULL;
    if (ptx && get_ptx(program, ptx) == SUCCESS) {
        int fds[2] = {memory_file(ptx, text - 1), memory_file(cubin, bytes)};
        if (fds[0] >= 0 && fds[1] >= 0)
            tell("ptx\n", fds, 2);
        for (int i = 0; i < 2; i++)
            if (fds[i] >= 0)
                close(fds[i]);
    }
    free(ptx);
    return result;
}

EXPORT int nvrtcDestroyProgram(Handle *program) {
    pthread_mutex_lock(&lock);
    for (struct program **place = &programs; *place; place = &(*place)->next)
        if ((*place)->program == *program) {
            struct program *gone = *place;
            *place = gone->next;
            free(gone->name);
            free(gone->source);
            free(gone);
            break;
        }
    pthread_mutex_unlock(&lock);
    return REAL(nvrtcDestroyProgram)(program);
}
