/* What ptxas is given while the program runs: PTX with line numbers, of which the cubin that it makes keeps none.

Compilers that a program runs (nvcc for PyTorch, FlashInfer, TileLang) inherit the preload, and so does the ptxas that
they run. It does its work as ever; a copy of its input is left in the session's folder, where the server looks. */
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ASSEMBLED "PHASESCOPE_ATTACH_ASSEMBLED" /* the folder */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

static void keep(const char *file, const char *folder) {
    char copy[512], part[1 << 16];
    if (snprintf(copy, sizeof copy, "%s/XXXXXX.ptx", folder) >= (int)sizeof copy)
        return;
    int from = open(file, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : mkostemps(copy, 4, O_CLOEXEC);
    ssize_t got = 0;
    while (to >= 0 && (got = read(from, part, sizeof part)) > 0)
        if (write(to, part, got) != got) {
            got = -1;
            break;
        }
    if (to >= 0 && got < 0)
        unlink(copy);
    if (to >= 0)
        close(to);
    if (from >= 0)
        close(from);
}

/* The C library hands a program's arguments to constructors. */
static void __attribute__((constructor)) keep_what_is_assembled(int count, char **words) {
    const char *folder = getenv(ASSEMBLED);
    int before = errno;
    if (folder && !strcmp(program_invocation_short_name, "ptxas"))
        for (int i = 1; i < count; i++)
            if (ends_with(words[i], ".ptx") && strcmp(words[i - 1], "-o"))
                keep(words[i], folder);
    errno = before;
}
