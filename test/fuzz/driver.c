// SPDX-License-Identifier: Apache-2.0
// A fuzzer in one file, for builds without libFuzzer (that of the sanitizers in CI, by gcc) and for long
// runs: nothing but the target itself costs time. It changes seeds at random; where the build counts
// edges (clang, -fsanitize-coverage=inline-8bit-counters), inputs that reach new ones become seeds too.
//   fuzz_NAME [-seconds S] [-runs N] [-longest BYTES] [-seed K] [-find FILE] [-dictionary FILE] SEEDS..
// SEEDS are files and folders. The present input is kept in FILE (find-NAME), which is removed at the end:
// after a crash it is there. The last line has the number of executions.
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

enum { MOST_SEEDS = 1 << 16, MOST_WORDS = 4096, MOST_BYTES = 1 << 20, PATIENCE = 60 };

typedef struct Bytes {
    uint8_t *at;
    size_t size;
    double cost; // of a seed: seconds of a processor for an execution
} Bytes;

static struct {
    Bytes seeds[MOST_SEEDS], words[MOST_WORDS];
    int n_seeds, n_words;
    size_t longest;
    uint64_t random;
    uint8_t *now; // the present input, in a file
    double mean;  // seconds of an execution, over the last thousands
} fuzz = {.longest = 1000, .random = 1};

int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

// ---- chance (xorshift) ----

static uint64_t chance(uint64_t below) {
    fuzz.random ^= fuzz.random << 13;
    fuzz.random ^= fuzz.random >> 7;
    fuzz.random ^= fuzz.random << 17;
    return (fuzz.random >> 11) % (below ? below : 1);
}

// ---- edges: one byte each, counted by the build ----

enum { MOST_PARTS = 64 };
static struct {
    uint8_t *from[MOST_PARTS], *to[MOST_PARTS], *seen[MOST_PARTS];
    int n;
} edges;

void __sanitizer_cov_8bit_counters_init(uint8_t *from, uint8_t *to);
void __sanitizer_cov_pcs_init(const uintptr_t *from, const uintptr_t *to);

void __sanitizer_cov_8bit_counters_init(uint8_t *from, uint8_t *to) {
    if (from == to || edges.n == MOST_PARTS || (edges.n && edges.from[edges.n - 1] == from))
        return;
    edges.from[edges.n] = from;
    edges.to[edges.n++] = to;
}

void __sanitizer_cov_pcs_init(const uintptr_t *from, const uintptr_t *to) {
    (void)from;
    (void)to;
}

// how often, as one of eight bits: 1, 2, 3, 4.., 8.., 16.., 32.., 128..
static uint8_t often(uint8_t n) {
    return (uint8_t)(n < 4     ? 1u << (n - 1)
                     : n < 8   ? 8
                     : n < 16  ? 16
                     : n < 32  ? 32
                     : n < 128 ? 64
                               : 128);
}

// nearly all of them are zero: many at once
enum { BLOCK = 64 };
__attribute__((no_sanitize("address", "undefined"))) static int none_passed(const uint8_t *p) {
    uint64_t words[BLOCK / 8], any = 0;
    memcpy(words, p, BLOCK);
    for (int i = 0; i < BLOCK / 8; i++)
        any |= words[i];
    return !any;
}

// 1: an edge that was not passed, or not as often, before; the counters are zero after that
__attribute__((no_sanitize("address", "undefined"))) static int new_edges(void) {
    int found = 0;
    for (int k = 0; k < edges.n; k++) {
        uint8_t *seen = edges.seen[k];
        for (uint8_t *p = edges.from[k]; p < edges.to[k];) {
            if (edges.to[k] - p >= BLOCK && none_passed(p)) {
                p += BLOCK;
                continue;
            }
            if (*p) {
                const uint8_t bit = often(*p);
                found |= !(seen[p - edges.from[k]] & bit);
                seen[p - edges.from[k]] |= bit;
                *p = 0;
            }
            p++;
        }
    }
    return found;
}

static long edges_seen(void) {
    long n = 0;
    for (int k = 0; k < edges.n; k++)
        for (long i = 0; i < edges.to[k] - edges.from[k]; i++)
            n += edges.seen[k][i] != 0;
    return n;
}

// ---- seeds ----

static void add_bytes(Bytes *list, int *n, int most, const uint8_t *data, size_t size) {
    if (*n == most)
        return;
    list[*n].at = (uint8_t *)fuzz_text(data, size);
    list[(*n)++].size = size;
}

static void add_file(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        fprintf(stderr, "fuzz: cannot read %s\n", path);
        exit(2);
    }
    if (S_ISDIR(info.st_mode)) {
        DIR *folder = opendir(path);
        for (struct dirent *e; folder && (e = readdir(folder));) {
            char name[4096];
            if (e->d_name[0] != '.' &&
                snprintf(name, sizeof name, "%s/%s", path, e->d_name) < (int)sizeof name)
                add_file(name);
        }
        if (folder)
            closedir(folder);
        return;
    }
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(fuzz.longest + 1);
    const size_t size = f && bytes ? fread(bytes, 1, fuzz.longest + 1, f) : 0;
    if (f && bytes && size <= fuzz.longest)
        add_bytes(fuzz.seeds, &fuzz.n_seeds, MOST_SEEDS, bytes, size);
    free(bytes);
    if (f)
        fclose(f);
}

// a word a line, as libFuzzer has them: "text", with no escapes
static void add_dictionary(const char *path) {
    FILE *f = fopen(path, "rb");
    char line[256];
    if (!f) {
        fprintf(stderr, "fuzz: cannot read %s\n", path);
        exit(2);
    }
    while (fgets(line, sizeof line, f)) {
        const char *from = strchr(line, '"'), *to = strrchr(line, '"');
        if (from && to > from)
            add_bytes(fuzz.words, &fuzz.n_words, MOST_WORDS, (const uint8_t *)from + 1,
                      (size_t)(to - from - 1));
    }
    fclose(f);
}

// ---- changes ----

static void insert(Bytes *b, size_t at, const uint8_t *data, size_t size) {
    if (b->size + size > fuzz.longest)
        return;
    memmove(b->at + at + size, b->at + at, b->size - at);
    memcpy(b->at + at, data, size);
    b->size += size;
}

static void erase(Bytes *b, size_t at, size_t size) {
    memmove(b->at + at, b->at + at + size, b->size - at - size);
    b->size -= size;
}

// a piece of a seed, or of the input itself
static void insert_piece(Bytes *b, const Bytes *from) {
    uint8_t piece[256];
    if (!from->size)
        return;
    const size_t at = chance(from->size), left = from->size - at;
    const size_t size = 1 + chance(left < sizeof piece ? left : sizeof piece);
    const size_t taken = size > left ? left : size;
    memcpy(piece, from->at + at, taken);
    insert(b, chance(b->size + 1), piece, taken);
}

static void change(Bytes *b) {
    static const char *const numbers[] = {"0",   "-1",  "1e308", "1e-308", "99999999999999999999",
                                          "nan", "inf", "1e400", "-0.0",   "2147483648"};
    static const char marks[] = " \n\t:,-[]{}()\"'#&*!|>%@=+/^<.0123456789eE";
    const size_t at = chance(b->size + 1), size = b->size;
    const uint8_t one = chance(4) ? (uint8_t)marks[chance(sizeof marks - 1)] : (uint8_t)chance(256);
    switch (chance(10)) {
    case 0:
        if (at < size)
            b->at[at] ^= (uint8_t)(1u << chance(8));
        break;
    case 1:
    case 2:
        if (at < size)
            b->at[at] = one;
        break;
    case 3:
        insert(b, at, &one, 1);
        break;
    case 4:
    case 5:
        if (at < size)
            erase(b, at, 1 + chance(size - at < 32 ? size - at : 32));
        break;
    case 6:
        insert_piece(b, b);
        break;
    case 7:
        insert_piece(b, &fuzz.seeds[chance((uint64_t)fuzz.n_seeds)]);
        break;
    case 8: {
        const char *text = numbers[chance(sizeof numbers / sizeof *numbers)];
        if (at < size && chance(2))
            erase(b, at, 1);
        insert(b, at, (const uint8_t *)text, strlen(text));
        break;
    }
    default:
        if (fuzz.n_words) {
            const Bytes *word = &fuzz.words[chance((uint64_t)fuzz.n_words)];
            insert(b, at, word->at, word->size);
        }
    }
}

// ---- the loop ----

static double seconds_of(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now_seconds(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

// A seed by chance. One that takes long comes so much less often: else a few that a reader works at for
// milliseconds take nearly all of the time.
static const Bytes *choose(void) {
    for (;;) {
        const Bytes *seed = &fuzz.seeds[chance((uint64_t)fuzz.n_seeds)];
        if (seed->cost <= fuzz.mean || chance(1000) < (uint64_t)(1000 * fuzz.mean / seed->cost) + 1)
            return seed;
    }
}

static double execute(const Bytes *b, int fresh) {
    // (size first: a crash leaves the whole of it)
    memcpy(fuzz.now, &b->size, sizeof b->size);
    memcpy(fuzz.now + sizeof b->size, b->at, b->size);
    const double began = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    LLVMFuzzerTestOneInput(b->at, b->size);
    const double cost = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - began;
    if (edges.n && new_edges() && fresh && fuzz.n_seeds < MOST_SEEDS) {
        add_bytes(fuzz.seeds, &fuzz.n_seeds, MOST_SEEDS, b->at, b->size);
        fuzz.seeds[fuzz.n_seeds - 1].cost = cost;
    }
    return cost;
}

static volatile sig_atomic_t stopped; // asked to end: with its count

static void stop(int signal_number) {
    (void)signal_number;
    stopped = 1;
}

static void open_find(const char *path) {
    const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    fuzz.now = fd >= 0 && ftruncate(fd, MOST_BYTES + 8) == 0
                   ? mmap(NULL, MOST_BYTES + 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    if (fuzz.now == MAP_FAILED) {
        fprintf(stderr, "fuzz: cannot write %s\n", path);
        exit(2);
    }
    close(fd);
}

static const char *short_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int main(int argc, char **argv) {
    char find[256];
    double seconds = 5;
    long runs = 0, done = 0;
    snprintf(find, sizeof find, "find-%s", short_name(argv[0]));
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "-seconds") == 0)
            seconds = strtod(value, NULL), i++;
        else if (strcmp(argv[i], "-runs") == 0)
            runs = strtol(value, NULL, 10), i++;
        else if (strcmp(argv[i], "-longest") == 0)
            fuzz.longest = strtoul(value, NULL, 10), i++;
        else if (strcmp(argv[i], "-seed") == 0)
            fuzz.random = strtoull(value, NULL, 10) * 2654435761u + 88172645463325252u, i++;
        else if (strcmp(argv[i], "-find") == 0)
            snprintf(find, sizeof find, "%s", value), i++;
        else if (strcmp(argv[i], "-dictionary") == 0)
            add_dictionary(value), i++;
        else
            add_file(argv[i]);
    }
    if (!fuzz.n_seeds || fuzz.longest > MOST_BYTES) {
        fprintf(stderr, "fuzz: no seeds of at most %zu bytes\n", fuzz.longest);
        return 2;
    }
    if (LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv) != 0)
        return 2;
    open_find(find);
    for (int k = 0; k < edges.n; k++)
        edges.seen[k] = calloc((size_t)(edges.to[k] - edges.from[k]), 1);
    const double end = now_seconds() + seconds;
    const int given = fuzz.n_seeds;
    signal(SIGTERM, stop);
    for (int i = 0; i < given; i++, done++) {
        alarm(PATIENCE);
        fuzz.seeds[i].cost = execute(&fuzz.seeds[i], 0);
        fuzz.mean += fuzz.seeds[i].cost / given;
    }
    double watched = 0;
    Bytes b = {.at = malloc(fuzz.longest + 1)};
    while (b.at && !stopped && (runs ? done < runs : (done % 16 || now_seconds() < end))) {
        if (now_seconds() > watched + 1) { // (an execution without an end)
            alarm(PATIENCE);
            watched = now_seconds();
        }
        const Bytes *seed = choose();
        memcpy(b.at, seed->at, seed->size);
        b.size = seed->size;
        for (uint64_t n = 1 + chance(5); n-- > 0;)
            change(&b);
        fuzz.mean += (execute(&b, 1) - fuzz.mean) / 4096;
        done++;
    }
    free(b.at);
    unlink(find);
    printf("fuzz: %s: %ld executions, %d seeds, %ld edges\n", short_name(argv[0]), done,
           fuzz.n_seeds, edges_seen());
    return 0;
}
