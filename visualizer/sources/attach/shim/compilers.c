/* What the compilers that a program runs are given: a copy of it is left in the session's folder, where the server looks.

nvcc, which PyTorch, DeepGEMM, FlashInfer and TileLang run, hands the preload on to what it runs itself. ptxas is given
PTX with line numbers, of which the cubin that it makes keeps none; cicc is told the source, which may be gone when the
kernel is launched. Both do their work as ever. */
#include "shim.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMPILED "PHASESCOPE_ATTACH_COMPILED" /* the folder */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

static bool put(int to, const char *bytes, size_t count) { return write(to, bytes, count) == (ssize_t)count; }

/* Copies a file behind `title`, to a name of its own. */
static void keep(const char *file, const char *folder, const char *title, const char *suffix) {
    char copy[512], part[1 << 16];
    if (snprintf(copy, sizeof copy, "%s/XXXXXX%s", folder, suffix) >= (int)sizeof copy)
        return;
    int from = open(file, O_RDONLY | O_CLOEXEC);
    int to = from < 0 ? -1 : mkostemps(copy, (int)strlen(suffix), O_CLOEXEC);
    if (to >= 0) {
        ssize_t got = 0;
        bool whole = put(to, title, strlen(title));
        while (whole && (got = read(from, part, sizeof part)) > 0)
            whole = put(to, part, (size_t)got);
        if (!whole || got < 0)
            unlink(copy);
        close(to);
    }
    if (from >= 0)
        close(from);
}

/* The C library hands a program's arguments to constructors. */
static void __attribute__((constructor)) keep_what_is_compiled(int count, char **words) {
    const char *folder = getenv(COMPILED);
    int before = errno;
    bool is_ptxas = !strcmp(program_invocation_short_name, "ptxas");
    bool is_cicc = !strcmp(program_invocation_short_name, "cicc");
    for (int i = 1; folder && (is_ptxas || is_cicc) && i < count; i++) {
        char name[4096];
        if (is_ptxas && ends_with(words[i], ".ptx") && strcmp(words[i - 1], "-o"))
            keep(words[i], folder, "", ".ptx");
        if (is_cicc && !strcmp(words[i - 1], "--orig_src_path_name") &&
            snprintf(name, sizeof name, "%s\n", words[i]) < (int)sizeof name)
            keep(words[i], folder, name, ".source");
    }
    errno = before;
}
