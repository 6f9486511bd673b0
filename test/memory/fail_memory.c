// SPDX-License-Identifier: Apache-2.0
// Preloaded into the command (LD_PRELOAD): lets one allocation after the other fail. Before main
// runs, this library forks a trial for each N: in it the N-th allocation fails (mode "once"), or
// that and all later ones ("always"); the parent judges what the trial left behind.
//   HOL_WALK="MOST MODE REPORT [times]": at most MOST trials, spread over all allocations of the command;
//   times: what it prints has times in it, and is not compared
//   HOL_FAIL_AT=N: the N-th allocation of this process fails, and nothing else (for a debugger)
// The report has a line for each bad trial and a last line "N trials, B bad".
// Right is: the same standard output and .csv files as without a failure and exit 0 (or rows that tell of
// memory: runs of a sweep fail one by one); or exit 3 or 4,
// "memory" in what it says, no "success" in it, and no file left behind.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

typedef struct Shared {
    atomic_long count; // allocations so far
    atomic_int hit;    // one has failed
} Shared;

static Shared *shared;
static uintptr_t blas_from[8],
    blas_to[8]; // code of OpenBLAS and SUNDIALS: no look at what they get
static int n_blas;
static atomic_int on;
static long fail_at, always;

// 1: this one fails
static int fails(const void *caller) {
    if (!atomic_load(&on))
        return 0;
    for (int i = 0; i < n_blas; i++)
        if ((uintptr_t)caller - blas_from[i] < blas_to[i] - blas_from[i])
            return 0;
    const long n = atomic_fetch_add(&shared->count, 1) + 1;
    if (n != fail_at && !(always && n > fail_at))
        return 0;
    atomic_store(&shared->hit, 1);
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *p, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

void *aligned_alloc(size_t align, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
}

void *memalign(size_t align, size_t size) {
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
}

int posix_memalign(void **p, size_t align, size_t size) {
    *p = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, size);
    return *p ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int rights, int flags, int fd, off_t offset) {
    if ((flags & MAP_ANONYMOUS) && fails(__builtin_return_address(0)))
        return MAP_FAILED;
    const long p = syscall(SYS_mmap, at, size, rights, flags, fd, offset);
    return p == -1 ? MAP_FAILED : (void *)p;
}

// ---- trials ----

enum { SECONDS = 60, TEXT = 1 << 16, PART = 1000, BROKEN = 100000 };

static int ends_in(const char *name, const char *ending) {
    const size_t n = strlen(name), k = strlen(ending);
    return n >= k && strcmp(name + n - k, ending) == 0;
}

static int told; // a table has "memory" in it: a run of many that tells of its own end

// "memory", letter by letter
static void look_for_memory(int c) {
    static const char word[] = "memory";
    static size_t at;
    at = c == word[at] ? at + 1 : c == word[0];
    if (at == sizeof word - 1)
        told = 1, at = 0;
}

// 1: the text begins and ends as files of its kind do
static int is_whole(const char *name) {
    static const struct {
        const char *ending, *first, *last;
    } kinds[] = {{".json", "{", "}"}, {".html", "<", "</html>"}, {".svg", "<", "</svg>"}};
    static char text[256];
    for (int k = 0; k < 3; k++) {
        FILE *f = ends_in(name, kinds[k].ending) ? fopen(name, "rb") : NULL;
        if (!f)
            continue;
        const int first = getc(f);
        fseek(f, -(long)sizeof text + 1, SEEK_END);
        size_t n = fread(text, 1, sizeof text - 1, f);
        fclose(f);
        while (n > 0 && strchr(" \n", text[n - 1]))
            n--;
        text[n] = 0;
        return first == kinds[k].first[0] && ends_in(text, kinds[k].last);
    }
    return 1;
}

// files that the command made: their number (temporary ones count PART, those to go on from none, those that
// are not whole BROKEN), and a sum over the bytes of .csv files and of its standard output; they are removed
static uint64_t take_files(int *count) {
    uint64_t sum = 14695981039346656037u;
    DIR *d = opendir(".");
    *count = told = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *name = e->d_name;
        const int out = strcmp(name, "walk.out") == 0;
        if (!out && strncmp(name, "made", 4) != 0)
            continue;
        *count += !out && !ends_in(name, ".journal");
        if (strstr(name, ".part"))
            *count += PART;
        if (!out && !is_whole(name))
            *count += BROKEN;
        FILE *f = out || ends_in(name, ".csv") ? fopen(name, "rb") : NULL;
        for (int c; f && (c = getc(f)) != EOF;) {
            sum = (sum ^ (uint64_t)c) * 1099511628211u;
            look_for_memory(c);
        }
        if (f)
            fclose(f);
        if (!out)
            unlink(name);
    }
    if (d)
        closedir(d);
    return sum;
}

static void read_said(char text[TEXT]) {
    FILE *f = fopen("walk.err", "rb");
    const size_t n = f ? fread(text, 1, TEXT - 1, f) : 0;
    text[n] = 0;
    if (f)
        fclose(f);
}

static void redirect(const char *file, int to) {
    const int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, to);
    close(fd);
}

// 0: in the trial; else its status
static int trial(long n, int *status) {
    atomic_store(&shared->count, 0);
    atomic_store(&shared->hit, 0);
    const pid_t pid = fork();
    if (pid == 0) {
        redirect("walk.out", 1);
        redirect("walk.err", 2);
        // (of the processor: a busy machine is no fault)
        const struct rlimit most = {SECONDS, SECONDS + 1};
        setrlimit(RLIMIT_CPU, &most);
        alarm(10 * SECONDS);
        fail_at = n;
        atomic_store(&on, 1);
        return 0;
    }
    waitpid(pid, status, 0);
    return 1;
}

// NULL: all is well
static const char *judge(int status, uint64_t sum, int files, uint64_t right) {
    static char text[TEXT], why[128];
    read_said(text);
    if (!WIFEXITED(status)) {
        snprintf(why, sizeof why, "signal %d", WTERMSIG(status));
        return why;
    }
    const int code = WEXITSTATUS(status);
    if (files >= BROKEN)
        return "a file is not whole";
    // (rows of a run with checkpoints are kept, and told of)
    if (files >= PART && !strstr(text, "rows so far are in"))
        return "a temporary file is left";
    if (code == 0)
        return sum == right || told ? NULL : "exit 0 with other results";
    if (code != 3 && code != 4) {
        snprintf(why, sizeof why, "exit %d", code);
        return why;
    }
    // (complete results may be kept, and are told of)
    if (files && !strstr(text, "results") && !strstr(text, "rows so far are in"))
        return "a file is left";
    if (!strstr(text, "memory"))
        return "no word of memory";
    return strstr(text, "success") ? "says success" : NULL;
}

// where the code of OpenBLAS and SUNDIALS is: the library asks for what they may need before
// (dense_spectrum.c, bdf_ida.c)
static int find_blas(struct dl_phdr_info *info, size_t size, void *user) {
    (void)size;
    (void)user;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(name, "libopenblas", 11) != 0 && strncmp(name, "libblas", 7) != 0 &&
        strncmp(name, "liblapack.", 10) != 0 && strncmp(name, "libsundials", 11) != 0)
        return 0;
    for (int i = 0; i < info->dlpi_phnum && n_blas < 8; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            blas_from[n_blas] = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            blas_to[n_blas] = blas_from[n_blas] + info->dlpi_phdr[i].p_memsz;
            n_blas++;
        }
    return 0;
}

// OpenBLAS maps its buffer at the first operation, and tries for ever where there is no memory. (The
// library asks for that room before: test_little_room.)
static void start_blas(void) {
    typedef void (*Solve)(int, int, int, int, int, int, int, double, const double *, int, double *,
                          int);
    enum { COLUMNS = 102, LEFT = 141, LOWER = 122, PLAIN = 111, DIAGONAL = 131 };
    Solve solve = NULL;
    void *found = dlsym(RTLD_DEFAULT, "cblas_dtrsm");
    const double one = 1;
    double x = 1;
    dl_iterate_phdr(find_blas, NULL);
    memcpy(&solve, &found, sizeof solve);
    if (solve)
        solve(COLUMNS, LEFT, LOWER, PLAIN, DIAGONAL, 1, 1, 1, &one, 1, &x, 1);
}

__attribute__((constructor)) static void walk(void) {
    const char *asked = getenv("HOL_WALK");
    char mode[16] = "", report[256] = "", times[16] = "";
    long most = 0, trials = 0, bad = 0;
    int status = 0, files = 0;
    const char *alone = getenv("HOL_FAIL_AT");
    if (alone) {
        static Shared own;
        shared = &own;
        fail_at = strtol(alone, NULL, 10);
        start_blas();
        atomic_store(&on, 1);
        return;
    }
    if (!asked || sscanf(asked, "%ld %15s %255s %15s", &most, mode, report, times) < 3)
        return;
    unsetenv("LD_PRELOAD");
    start_blas();
    always = strcmp(mode, "always") == 0;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FILE *to = fopen(report, "w");
    if (!to || shared == MAP_FAILED || !trial(LONG_MAX, &status))
        return;
    const uint64_t right = take_files(&files);
    const long total = atomic_load(&shared->count);
    const double stride = total > most ? (double)total / (double)most : 1;
    if (status)
        fprintf(to, "without a failure: status %d\n", status), fflush(to);
    for (double at = 1; at <= (double)total; at += stride, trials++) {
        if (!trial((long)at, &status))
            return;
        const uint64_t sum = take_files(&files);
        const char *why = judge(status, times[0] ? right : sum, files, right);
        if (!why)
            continue;
        static char text[TEXT];
        read_said(text);
        text[200] = 0;
        fprintf(to, "allocation %ld of %ld: %s: %s\n", (long)at, total, why, text);
        fflush(to); // (a trial would write it again)
        bad++;
    }
    fprintf(to, "%ld trials, %ld bad\n", trials, bad + (status && trials == 0));
    fclose(to);
    _exit(bad != 0);
}
