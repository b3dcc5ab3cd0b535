/* Tensor maps as the program made them: an instruction that copies through one does not tell its bytes.

They are known again among a kernel's parameters by their 128 bytes. */
#include "shim.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { KEPT = 1024, DESCRIPTION = 96 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    unsigned char bytes[TENSOR_MAP_BYTES];
    char description[DESCRIPTION];
} maps[KEPT];
static unsigned made; /* also those that later ones took the place of */

static int position(const void *map) {
    for (unsigned i = 0; i < made && i < KEPT; i++)
        if (!memcmp(maps[i].bytes, map, TENSOR_MAP_BYTES))
            return i;
    return -1;
}

static void keep(const void *map, const char *description) {
    int place = position(map);
    if (place < 0)
        place = made++ % KEPT;
    memcpy(maps[place].bytes, map, TENSOR_MAP_BYTES);
    snprintf(maps[place].description, DESCRIPTION, "%s", description);
}

void remember_tensor_map(const void *map, int type, const uint32_t *box, unsigned rank) {
    if (!watched())
        return;
    char description[DESCRIPTION] = "";
    struct message text = {description, sizeof description, 0};
    add(&text, "type=%d box=", type);
    for (unsigned i = 0; i < rank; i++)
        add(&text, "%s%u", i ? "," : "", box[i]);
    pthread_mutex_lock(&lock);
    keep(map, description);
    pthread_mutex_unlock(&lock);
}

void remember_moved_map(const void *before, const void *after) {
    if (!watched())
        return;
    pthread_mutex_lock(&lock);
    int place = position(before);
    if (place >= 0) {
        char description[DESCRIPTION]; /* keep may put the moved map where the other was */
        memcpy(description, maps[place].description, sizeof description);
        keep(after, description);
    }
    pthread_mutex_unlock(&lock);
}

void describe_tensor_maps(struct message *message, const unsigned char *bytes, size_t size, size_t offset) {
    pthread_mutex_lock(&lock);
    /* A map is aligned to 64 bytes [CUDA], and so is a parameter that holds one. */
    for (size_t at = 0; at + TENSOR_MAP_BYTES <= size; at += 64) {
        int place = position(bytes + at);
        if (place >= 0)
            add(message, "map offset=%zu %s\n", offset + at, maps[place].description);
    }
    pthread_mutex_unlock(&lock);
}
