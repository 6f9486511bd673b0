// SPDX-License-Identifier: Apache-2.0
// For tests that run the built command: a place of their own, output and exit code, a small strict
// JSON reader, and the rows of a CSV file.
#ifndef HOL_TEST_CLI_RUN_H
#define HOL_TEST_CLI_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char place[64] = "/tmp/holonom-test-XXXXXX"; // everything happens in there

static const char *const pendulum = "holonom: 1\n"
                                    "name: Test pendulum\n"
                                    "space: planar\n"
                                    "gravity: [0, -9.81]\n"
                                    "parameters: {L: 1}\n"
                                    "ground: {points: {O: [0, 0]}}\n"
                                    "bodies:\n"
                                    "  - name: rod\n"
                                    "    mass: 1\n"
                                    "    inertia: \"1/12*L^2\"\n"
                                    "    position: [\"L/2\", 0]\n"
                                    "    points: {top: [\"-L/2\", 0]}\n"
                                    "joints:\n"
                                    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
                                    "simulation: {end: 1, method: tangent, step: 0.01}\n";

static inline char *read_text(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    size_t got = text ? fread(text, 1, (size_t)size, file) : 0;
    fclose(file);
    assert_int_equal(got, size);
    return text;
}

static inline void write_text(const char *name, const char *text) {
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static inline int exists(const char *name) {
    struct stat info;
    return lstat(name, &info) == 0;
}

// files in the present directory whose name holds `piece`
static inline int count_files(const char *piece) {
    DIR *directory = opendir(".");
    assert_non_null(directory);
    int n = 0;
    for (struct dirent *entry; (entry = readdir(directory));)
        n += strstr(entry->d_name, piece) != NULL;
    closedir(directory);
    return n;
}

static inline int enter_place(void **state) {
    (void)state;
    // (what a shell in the background ignores stays ignored by the command)
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    if (!mkdtemp(place) || chdir(place) != 0)
        return -1;
    write_text("pendulum.yaml", pendulum);
    return 0;
}

static inline int leave_place(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    return chdir("/") != 0 || system(command) != 0;
}

typedef struct Ran {
    int code;
    char *out, *err;
} Ran;

// `holonom ARGUMENTS` by the shell (so that they may redirect or limit); output is kept
static inline Ran run_cli(const char *before, const char *arguments) {
    char command[2048];
    snprintf(command, sizeof command, "{ %s '%s' %s ; } >out.txt 2>err.txt", before, HOL_CLI_PATH,
             arguments);
    int status = system(command);
    Ran ran = {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text("out.txt"),
               read_text("err.txt")};
    assert_non_null(ran.out);
    assert_non_null(ran.err);
    return ran;
}

static inline void ran_free(Ran ran) {
    free(ran.out);
    free(ran.err);
    unlink("out.txt");
    unlink("err.txt");
}

// run, compare the exit code, show what it said when that is wrong
static inline Ran expect(int code, const char *arguments) {
    Ran ran = run_cli("", arguments);
    if (ran.code != code)
        fail_msg("holonom %s: exit %d instead of %d\n%s", arguments, ran.code, code, ran.err);
    return ran;
}

static inline void expect_text(const char *text, const char *piece) {
    if (!strstr(text, piece))
        fail_msg("'%s' does not occur in: %s", piece, text);
}

// ---- CSV ----

static inline int count_char(const char *text, const char *end, char c) {
    int n = 0;
    for (; text < end; text++)
        n += *text == c;
    return n;
}

// number of rows below the header; every row must have as many fields as the header
static inline int csv_rows(const char *text) {
    const char *end = strchr(text, '\n');
    assert_non_null(end);
    int commas = count_char(text, end, ','), rows = 0;
    for (const char *line = end + 1; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end); // the last line is complete too
        assert_int_equal(count_char(line, end, ','), commas);
        rows++;
    }
    return rows;
}

// field `column` of row `row` (0: the header; -1: the last row), as text
static inline void csv_field(const char *text, int row, const char *column, char *out,
                             size_t size) {
    int index = 0;
    const char *name = text;
    size_t length = strlen(column);
    while (strncmp(name, column, length) != 0 || !strchr(",\n", name[length])) {
        name += strcspn(name, ",\n");
        if (*name != ',')
            fail_msg("no column %s", column);
        name++;
        index++;
    }
    const char *line = text;
    for (int rows = row < 0 ? csv_rows(text) : row; rows > 0; rows--)
        line = strchr(line, '\n') + 1;
    for (; index > 0; index--)
        line = strchr(line, ',') + 1;
    snprintf(out, size, "%.*s", (int)strcspn(line, ",\n"), line);
}

static inline double csv_value(const char *text, int row, const char *column) {
    char field[64];
    csv_field(text, row, column, field, sizeof field);
    return strtod(field, NULL);
}

// ---- JSON, strictly by RFC 8259 ----

static inline const char *json_space(const char *p) {
    return p + strspn(p, " \t\r\n");
}

static inline const char *json_skip_text(const char *p) {
    if (*p++ != '"')
        return NULL;
    for (; *p != '"'; p++) {
        if ((unsigned char)*p < 0x20)
            return NULL;
        if (*p == '\\' && !strchr("\"\\/bfnrtu", *++p))
            return NULL;
    }
    return p + 1;
}

static inline const char *json_skip_number(const char *p) {
    p += *p == '-';
    if (!isdigit((unsigned char)*p) || (*p == '0' && isdigit((unsigned char)p[1])))
        return NULL;
    p += strspn(p, "0123456789");
    if (*p == '.') {
        if (!isdigit((unsigned char)*++p))
            return NULL;
        p += strspn(p, "0123456789");
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '+' || *p == '-';
        if (!isdigit((unsigned char)*p))
            return NULL;
        p += strspn(p, "0123456789");
    }
    return p;
}

// behind the value at p, or NULL when it is not JSON; *found = value of `key` when it is an object
static inline const char *json_skip(const char *p, const char *key, const char **found) {
    p = json_space(p);
    if (*p == '"')
        return json_skip_text(p);
    for (int i = 0; i < 3; i++) {
        const char *word = (const char *[]){"true", "false", "null"}[i];
        if (strncmp(p, word, strlen(word)) == 0)
            return p + strlen(word);
    }
    if (*p != '{' && *p != '[')
        return json_skip_number(p);
    char close = *p == '{' ? '}' : ']';
    p = json_space(p + 1);
    if (*p == close)
        return p + 1;
    for (;;) {
        if (close == '}') {
            const char *name = p, *after = json_skip_text(p);
            if (!after || *(p = json_space(after)) != ':')
                return NULL;
            p = json_space(p + 1);
            if (key && (size_t)(after - name) == strlen(key) + 2 &&
                strncmp(name + 1, key, strlen(key)) == 0)
                *found = p;
        }
        if (!(p = json_skip(p, NULL, NULL)))
            return NULL;
        p = json_space(p);
        if (*p == close)
            return p + 1;
        if (*p++ != ',')
            return NULL;
        p = json_space(p);
    }
}

static inline void expect_json(const char *text) {
    const char *end = json_skip(text, NULL, NULL);
    if (!end || *json_space(end))
        fail_msg("not one JSON value: %s", text);
}

// the value at a path of keys such as "energy.initial"; fails when it is not there
static inline const char *json_at(const char *text, const char *path) {
    const char *value = text;
    while (*path) {
        char key[64];
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        const char *found = NULL;
        json_skip(value, key, &found);
        if (!found)
            fail_msg("no key %s in %s", key, text);
        value = found;
        path += length + (path[length] == '.');
    }
    return value;
}

#endif
