/* What was loaded, and which launches are chosen.

A kernel is asked about once, at its first launch; after that a launch costs a look into a table and a count. An image
is kept until its kernel is asked about: where it lies if that is part of a program or library, else a copy, since its
owner may free it. */
#include "shim.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct image {
    Handle owner;
    const void *data;
    size_t size;
    const char *origin; /* the file it is part of; "": none */
    bool copied;
    int serial;
    struct image *next;
};
struct alias {
    Handle handle, of;
    bool is_kernel;
    struct alias *next;
};

enum { CACHED = 1 << 13, DEVICE_ATTRIBUTE_MAJOR = 75, DEVICE_ATTRIBUTE_MINOR = 76 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;
static struct alias *aliases;
static struct kernel *kernels;
static int serials;
static struct {
    Handle function;
    struct kernel *kernel;
} cache[CACHED];

/* Bytes of an image, by what stands at its beginning. */
static size_t image_size(const unsigned char *data) {
    uint32_t magic;
    memcpy(&magic, data, sizeof magic);
    if (magic == 0xBA55ED50) { /* a fat binary: magic, version, bytes of the header; bytes behind it */
        uint16_t header;
        uint64_t rest;
        memcpy(&header, data + 6, sizeof header);
        memcpy(&rest, data + 8, sizeof rest);
        return header + rest;
    }
    if (magic == 0x464C457F) { /* ELF: the tables lie behind everything else, or sections do */
        uint64_t segments, sections, end = 0;
        uint16_t sizes[5];
        memcpy(&segments, data + 0x20, 8);
        memcpy(&sections, data + 0x28, 8);
        memcpy(sizes, data + 0x36, sizeof sizes);
        end = sections + (uint64_t)sizes[2] * sizes[3];
        if (segments + (uint64_t)sizes[0] * sizes[1] > end)
            end = segments + (uint64_t)sizes[0] * sizes[1];
        for (unsigned i = 0; i < sizes[3]; i++) {
            const unsigned char *section = data + sections + (uint64_t)i * sizes[2];
            uint32_t type;
            uint64_t offset, bytes;
            memcpy(&type, section + 4, 4);
            memcpy(&offset, section + 0x18, 8);
            memcpy(&bytes, section + 0x20, 8);
            if (type != 8 && offset + bytes > end) /* SHT_NOBITS takes no room */
                end = offset + bytes;
        }
        return end;
    }
    return strlen((const char *)data) + 1;
}

static const void *file_content(const char *path, size_t *size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    char *data = NULL;
    if (fd >= 0 && !fstat(fd, &about) && (data = malloc(about.st_size + 1))) {
        *size = 0;
        ssize_t got;
        while (*size < (size_t)about.st_size && (got = read(fd, data + *size, about.st_size - *size)) > 0)
            *size += got;
        data[*size] = 0;
    }
    if (fd >= 0)
        close(fd);
    return data;
}

void remember_image(Handle owner, const void *image, bool is_file) {
    struct image *entry = watched() && image ? calloc(1, sizeof *entry) : NULL;
    if (!entry)
        return;
    Dl_info place;
    entry->owner = owner;
    entry->origin = "";
    if (is_file) {
        entry->origin = strdup(image);
        entry->data = file_content(image, &entry->size);
        entry->copied = true;
    } else {
        uint32_t magic;
        memcpy(&magic, image, sizeof magic);
        if (magic == 0x466243B1) /* what the runtime hands over: magic, version, pointer to the fat binary */
            memcpy(&image, (const char *)image + 8, sizeof image);
        entry->size = image_size(image);
        if (dladdr(image, &place) && place.dli_fname) {
            entry->origin = strdup(place.dli_fname);
            entry->data = image;
        } else {
            void *copy = malloc(entry->size);
            entry->data = copy ? memcpy(copy, image, entry->size) : NULL;
            entry->copied = true;
        }
    }
    pthread_mutex_lock(&lock);
    entry->serial = serials++;
    entry->next = images;
    images = entry;
    pthread_mutex_unlock(&lock);
}

void remember_alias(Handle handle, Handle of, bool is_kernel) {
    pthread_mutex_lock(&lock);
    struct alias *known = aliases;
    while (known && (known->handle != handle || known->is_kernel != is_kernel))
        known = known->next;
    if (!known && (known = calloc(1, sizeof *known))) {
        known->next = aliases;
        aliases = known;
    }
    if (known)
        *known = (struct alias){handle, of, is_kernel, known->next};
    pthread_mutex_unlock(&lock);
}

static Handle meant_by(Handle handle, bool is_kernel) {
    for (struct alias *known = aliases; known; known = known->next)
        if (known->handle == handle && known->is_kernel == is_kernel)
            return known->of;
    return handle;
}

static void empty_cache(void) {
    for (unsigned i = 0; i < CACHED; i++)
        __atomic_store_n(&cache[i].function, NULL, __ATOMIC_RELEASE);
}

void forget_kernels(void) {
    pthread_mutex_lock(&lock);
    empty_cache();
    kernels = NULL; /* not freed: another thread may be launching one */
    pthread_mutex_unlock(&lock);
}

void forget_images(Handle owner) {
    pthread_mutex_lock(&lock);
    empty_cache(); /* handles may be given out again for something else */
    for (struct image **place = &images; *place;) {
        struct image *image = *place;
        if (image->owner == owner) {
            *place = image->next;
            if (image->copied)
                free((void *)image->data);
            free(image);
        } else
            place = &image->next;
    }
    for (struct alias *alias = aliases; alias; alias = alias->next)
        if (alias->of == owner || alias->is_kernel)
            alias->handle = NULL;
    pthread_mutex_unlock(&lock);
}

static void watch_as_told(struct kernel *kernel, const struct reply *reply) {
    struct board *board = connected();
    const char *watch = field(reply, "watch");
    if (!board || !watch)
        return;
    unsigned long long first, last;
    if (sscanf(watch, "%d %llu %llu", &kernel->id, &first, &last) != 3)
        return;
    kernel->first = first;
    kernel->last = last;
    if (kernel->id >= 0 && kernel->id < BOARD_KERNELS) {
        kernel->count = &board->kernels[kernel->id].launches;
        kernel->captured = &board->kernels[kernel->id].captured;
    }
}

static void ask_about(struct kernel *kernel, const struct image *image, const unsigned *grid, const unsigned *block) {
    struct message message;
    struct reply *reply = malloc(sizeof *reply);
    int device = 0, major = 0, minor = 0, version = 0;
    char name[256] = "";
    cu.cuCtxGetDevice(&device);
    cu.cuDeviceGetAttribute(&major, DEVICE_ATTRIBUTE_MAJOR, device);
    cu.cuDeviceGetAttribute(&minor, DEVICE_ATTRIBUTE_MINOR, device);
    cu.cuDeviceGetName(name, sizeof name, device);
    cu.cuDriverGetVersion(&version);
    if (!reply || !open_message(&message, "kernel")) {
        free(reply);
        return;
    }
    add(&message, "name %s\nimage %d %zu\norigin %s\n", kernel->name, kernel->image, image ? image->size : 0,
        image ? image->origin : "");
    add(&message, "gpu %s\nsm %d\ncuda %d\ngrid %u %u %u\nblock %u %u %u\n", name, major * 10 + minor, version, grid[0],
        grid[1], grid[2], block[0], block[1], block[2]);
    bool answered = ask(message.text, -1, reply);
    if (answered && field(reply, "wanted") && image && image->data) {
        int fd = memory_file(image->data, image->size);
        answered = fd >= 0 && ask("image\n", fd, reply);
        if (fd >= 0)
            close(fd);
    }
    if (answered)
        watch_as_told(kernel, reply);
    close_message(&message);
    free(reply);
}

/* The kernel behind a handle that is launched for the first time. The lock is held. */
static struct kernel *look_up(Handle function, const unsigned *grid, const unsigned *block) {
    const char *name = NULL;
    Handle owner = NULL, handle = meant_by(function, true);
    bool is_library = cu.cuKernelGetLibrary(&owner, handle) == SUCCESS;
    if (is_library ? cu.cuKernelGetName(&name, handle)
                   : (cu.cuFuncGetModule(&owner, handle) || cu.cuFuncGetName(&name, handle)))
        return NULL;
    Handle loaded = is_library ? owner : meant_by(owner, false);
    struct image *image = images;
    while (image && image->owner != loaded)
        image = image->next;
    int serial = image ? image->serial : -1;
    for (struct kernel *known = kernels; known; known = known->next)
        if (known->image == serial && known->owner == owner && !strcmp(known->name, name))
            return known;
    struct kernel *kernel = calloc(1, sizeof *kernel);
    if (!kernel || !(kernel->name = strdup(name)))
        return NULL;
    kernel->owner = owner;
    kernel->is_library = is_library;
    kernel->image = serial;
    kernel->first = 1; /* nothing is chosen: the last launch to record is before the first */
    kernel->count = &kernel->own_count;
    kernel->captured = &kernel->own_count;
    kernel->id = -1;
    ask_about(kernel, image, grid, block);
    kernel->next = kernels;
    kernels = kernel;
    return kernel;
}

static struct kernel *find(Handle function, const unsigned *grid, const unsigned *block) {
    unsigned slot = ((uintptr_t)function >> 4) * 0x9E3779B97F4A7C15u >> 40;
    for (unsigned i = 0; i < 16; i++) {
        unsigned at = (slot + i) % CACHED;
        Handle there = __atomic_load_n(&cache[at].function, __ATOMIC_ACQUIRE);
        if (there == function)
            return cache[at].kernel;
        if (!there)
            break;
    }
    pthread_mutex_lock(&lock);
    struct kernel *kernel = look_up(function, grid, block);
    for (unsigned i = 0; kernel && i < 16; i++) {
        unsigned at = (slot + i) % CACHED;
        if (!cache[at].function) {
            cache[at].kernel = kernel;
            __atomic_store_n(&cache[at].function, function, __ATOMIC_RELEASE);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return kernel;
}

struct kernel *chosen(Handle function, const unsigned *grid, const unsigned *block, Handle stream, uint64_t *index) {
    if (!watched() || missing_symbol() || !connected())
        return NULL;
    struct kernel *kernel = find(function, grid, block);
    if (!kernel)
        return NULL;
    int capturing = 0;
    if (kernel->first <= kernel->last && *kernel->count <= kernel->last &&
        (cu.cuStreamIsCapturing(stream, &capturing) || capturing)) {
        __atomic_fetch_add(kernel->captured, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    *index = __atomic_fetch_add(kernel->count, 1, __ATOMIC_RELAXED);
    return kernel->first <= *index && *index <= kernel->last ? kernel : NULL;
}
