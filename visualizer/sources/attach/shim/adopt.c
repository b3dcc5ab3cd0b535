/* Watching a process that runs already: whoever holds the driver's functions gets the hooks instead.

Preloading decides what a name means before anything is linked. Later that is settled: libraries hold addresses, in
tables that the linker filled and in variables where they keep what dlsym or cuGetProcAddress told them. All of those are
words in writable segments that equal the address of a hooked function, so they can be found and replaced, and put back.
Who loads a library asks it for something next, with dlsym, so
that is when new ones are looked through. */
#include "hooks.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct swap {
    uintptr_t from, to;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct swap swaps[HOOK_COUNT + 2];
static unsigned swap_count;
static bool adopted;
static unsigned long long seen; /* objects that had been loaded when they were last looked through */

static void add_swap(void *from, void *to) {
    if (from && from != to)
        swaps[swap_count++] = (struct swap){(uintptr_t)from, (uintptr_t)to};
}

/* Objects whose words are left alone: ourselves, and the driver and compiler, whose own calls are nobody's launches. */
static bool is_own(const struct dl_phdr_info *object) {
    const char *base = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    Dl_info self;
    if (base && (!strncmp(base, "/libcuda.so", 11) || !strncmp(base, "/libnvrtc", 9) || !strncmp(base, "/ld-", 4) ||
                    !strncmp(base, "/libc.so", 8)))
        return true;
    return dladdr((void *)swaps, &self) && (uintptr_t)self.dli_fbase == object->dlpi_addr;
}

static unsigned swap_words(uintptr_t begin, uintptr_t end, bool back) {
    unsigned found = 0;
    for (uintptr_t *word = (uintptr_t *)((begin + 7) & ~(uintptr_t)7); (uintptr_t)(word + 1) <= end; word++)
        for (unsigned i = 0; i < swap_count; i++)
            if (*word == (back ? swaps[i].to : swaps[i].from)) {
                __atomic_store_n(word, back ? swaps[i].from : swaps[i].to, __ATOMIC_RELEASE);
                found++;
                break;
            }
    return found;
}

/* Names that are to be looked up only when they are first called: their words hold no address yet. */
static unsigned bind_lazy(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic) {
    const ElfW(Rela) *table = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t bytes = 0;
    unsigned found = 0;
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_JMPREL)
            table = (const void *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_PLTRELSZ)
            bytes = dynamic->d_un.d_val;
        else if (dynamic->d_tag == DT_SYMTAB)
            symbols = (const void *)dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_STRTAB)
            names = (const void *)dynamic->d_un.d_ptr;
    }
    for (size_t i = 0; table && symbols && names && i < bytes / sizeof *table; i++) {
        const char *name = names + symbols[ELF64_R_SYM(table[i].r_info)].st_name;
        void *hook = !strcmp(name, "dlsym") ? (void *)dlsym : hook_of(name);
        uintptr_t *word = (uintptr_t *)(object->dlpi_addr + table[i].r_offset);
        uintptr_t held = hook ? *word : 0;
        /* Within the object itself: the stub that looks the name up. */
        if (hook && held >= object->dlpi_addr && held < object->dlpi_addr + (64u << 20) && held != (uintptr_t)hook) {
            __atomic_store_n(word, (uintptr_t)hook, __ATOMIC_RELEASE);
            found++;
        }
    }
    return found;
}

static int look_through(struct dl_phdr_info *object, size_t size, void *data) {
    (void)size;
    bool back = *(bool *)data;
    if (is_own(object) || !object->dlpi_name || strstr(object->dlpi_name, "linux-vdso"))
        return 0;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), fixed = 0, fixed_end = 0;
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type == PT_GNU_RELRO) {
            fixed = (object->dlpi_addr + segment->p_vaddr) & ~(page - 1);
            fixed_end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
        } else if (segment->p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + segment->p_vaddr);
    }
    /* What the linker made read-only once it was filled is opened for the time being. */
    bool opened = fixed < fixed_end && !mprotect((void *)fixed, fixed_end - fixed, PROT_READ | PROT_WRITE);
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_W))
            continue;
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (!opened && fixed < fixed_end && begin < fixed_end)
            begin = fixed_end;
        swap_words(begin, end, back);
    }
    if (dynamic && !back)
        bind_lazy(object, dynamic);
    if (opened)
        mprotect((void *)fixed, fixed_end - fixed, PROT_READ);
    return 0;
}

static int note_count(struct dl_phdr_info *object, size_t size, void *count) {
    (void)size;
    *(unsigned long long *)count = object->dlpi_adds;
    return 1;
}

/* How many objects have ever been loaded. */
static unsigned long long loaded(void) {
    unsigned long long count = 0;
    dl_iterate_phdr(note_count, &count);
    return count;
}

/* Begin, or look through again. */
static void adopt(void) {
    pthread_mutex_lock(&lock);
    swap_count = 0;
    for (int hook = 0; hook < HOOK_COUNT; hook++)
        add_swap(genuine(hook), hook_of_number(hook));
    add_swap((void *)original_dlsym(), (void *)dlsym);
    bool back = false;
    seen = loaded();
    dl_iterate_phdr(look_through, &back);
    __atomic_store_n(&adopted, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}

void adopt_new(void) {
    if (__atomic_load_n(&adopted, __ATOMIC_ACQUIRE) && loaded() != seen)
        adopt();
}

static void change_server(const char *socket) {
    watch_from_now(socket);
    forget_kernels();
}

EXPORT void phasescope_watch(const char *socket) {
    change_server(socket);
    adopt();
}

EXPORT void phasescope_leave(void) {
    bool back = true;
    pthread_mutex_lock(&lock);
    if (adopted)
        dl_iterate_phdr(look_through, &back);
    __atomic_store_n(&adopted, false, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    change_server(NULL);
}

/* The driver's own way in: it loads the library that CUDA_INJECTION64_PATH names and calls this from cuInit. */
EXPORT int InitializeInjection(void) {
    if (watched())
        adopt();
    return 1;
}
