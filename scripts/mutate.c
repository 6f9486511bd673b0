// SPDX-License-Identifier: Apache-2.0
// Chooses random single mutations of C files (see scripts/mutate.sh).
//   mutate N SEED FILE..    prints N different mutations, one a line, separated by tabs:
//                           file, line, place (code or table), offset, length, new text, kind,
//                           what happens
// A mutation replaces `length` bytes at `offset` by the new text. The kind is drawn first, each
// with the same chance; then a place of that kind, each with the same chance. A seed gives the same
// mutations of the same files everywhere.
//   sign        + and -, += and -=, a minus left out
//   comparison  < and >=, > and <=, == and !=, && and ||, a ! left out
//   constant    a number doubled, 0 becomes 1, other small integers become 0
//   off-by-one  an integer one more or one less, < and <=, > and >=
//   removed     an assignment, a call, break or continue
//   swapped     two neighbouring arguments of a call
// Comments, strings, preprocessor lines and sizes of buffers and of memory are left alone.
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Kind { SIGN, COMPARISON, CONSTANT, OFF_BY_ONE, REMOVED, SWAPPED, KINDS } Kind;
static const char *const kind_names[] = {"sign",       "comparison", "constant",
                                         "off-by-one", "removed",    "swapped"};

typedef enum TokenType { WORD, NUMBER, TEXT, SIGNS } TokenType;

typedef struct Token {
    TokenType type;
    size_t at, length;
    int line;
    int body; // inside a function
} Token;

typedef struct Mutation {
    const char *file;
    int line, body;
    size_t at, length;
    char *text;
    char *tells;
    int taken;
} Mutation;

typedef struct List {
    Mutation *all;
    size_t n, capacity;
} List;

typedef struct Source {
    const char *file;
    char *text;
    size_t size;
    Token *token;
    size_t n;
} Source;

static List lists[KINDS];

static void fail(const char *text, const char *file) {
    fprintf(stderr, "mutate: %s %s\n", text, file);
    exit(1);
}

static void *must(void *p) {
    if (!p)
        fail("out of memory", "");
    return p;
}

// ---- tokens ----

static int is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static int is(const Source *s, size_t i, const char *text) {
    return i < s->n && s->token[i].length == strlen(text) &&
           memcmp(s->text + s->token[i].at, text, strlen(text)) == 0;
}

static size_t sign_length(const char *p) {
    static const char *const longer[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                         "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                         "*=",  "/=",  "%=",  "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (strncmp(p, longer[i], strlen(longer[i])) == 0)
            return strlen(longer[i]);
    return 1;
}

static size_t number_length(const char *p) {
    size_t n = 0;
    while (is_word(p[n]) || p[n] == '.' ||
           ((p[n] == '+' || p[n] == '-') && n && strchr("eEpP", p[n - 1]) &&
            !(p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && tolower(p[n - 1]) == 'e')))
        n++;
    return n;
}

// end of a comment, a string or a preprocessor line that begins here, or `at`
static size_t skip(const char *t, size_t at, int line_start) {
    size_t i = at;
    if (t[i] == '/' && t[i + 1] == '/') {
        while (t[i] && t[i] != '\n')
            i++;
    } else if (t[i] == '/' && t[i + 1] == '*') {
        const char *end = strstr(t + i + 2, "*/");
        i = end ? (size_t)(end - t) + 2 : strlen(t);
    } else if (t[i] == '#' && line_start) {
        while (t[i] && t[i] != '\n')
            i += t[i] == '\\' && t[i + 1] ? 2 : 1;
    }
    return i;
}

static size_t quoted(const char *t, size_t at) {
    size_t i = at + 1;
    while (t[i] && t[i] != t[at])
        i += t[i] == '\\' && t[i + 1] ? 2 : 1;
    return i + 1 - at;
}

static void split(Source *s) {
    s->token = must(calloc(s->size + 1, sizeof *s->token));
    int line = 1, line_start = 1, depth = 0, body = 0;
    for (size_t i = 0; i < s->size;) {
        const char c = s->text[i];
        if (c == '\n')
            line++, line_start = 1;
        size_t end = skip(s->text, i, line_start);
        if (end > i) {
            for (; i < end; i++)
                line += s->text[i] == '\n';
            continue;
        }
        if (isspace((unsigned char)c)) {
            i++;
            continue;
        }
        line_start = 0;
        Token *t = &s->token[s->n++];
        *t = (Token){SIGNS, i, 0, line, body};
        if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)s->text[i + 1])))
            t->type = NUMBER, t->length = number_length(s->text + i);
        else if (c == '"' || c == '\'')
            t->type = TEXT, t->length = quoted(s->text, i);
        else if (is_word(c))
            for (t->type = WORD; is_word(s->text[i + t->length]);)
                t->length++;
        else
            t->length = sign_length(s->text + i);
        if (c == '{') {
            // a body follows a closed list of parameters
            if (depth++ == 0 && s->n > 1 && is(s, s->n - 2, ")"))
                body = 1;
        } else if (c == '}' && --depth == 0) {
            body = 0;
        }
        i += t->length;
    }
}

// ---- mutations ----

static void add(const Source *s, Kind kind, size_t first, size_t last, const char *text) {
    List *l = &lists[kind];
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 256;
        l->all = must(realloc(l->all, l->capacity * sizeof *l->all));
    }
    const Token *a = &s->token[first], *b = &s->token[last];
    Mutation *m = &l->all[l->n++];
    *m = (Mutation){s->file, a->line, a->body, a->at, b->at + b->length - a->at, NULL, NULL, 0};
    m->text = must(strdup(text));
    m->tells = must(calloc(m->length + strlen(text) + 16, 1));
    sprintf(m->tells, "%.*s -> %s", (int)m->length, s->text + m->at, *text ? text : "nothing");
    for (char *p = m->tells; *p; p++)
        if (isspace((unsigned char)*p))
            *p = ' ';
    for (char *p = m->text; *p; p++) // a new text is one line of the list
        if (isspace((unsigned char)*p))
            *p = ' ';
}

// 1 when a value ends before token i: what follows is no unary sign
static int after_value(const Source *s, size_t i) {
    if (i == 0 || is(s, i - 1, "return") || is(s, i - 1, "case"))
        return 0;
    const TokenType type = s->token[i - 1].type;
    return type == WORD || type == NUMBER || is(s, i - 1, ")") || is(s, i - 1, "]");
}

static void mutate_sign(const Source *s, size_t i) {
    static const char *const pairs[][3] = {
        {"+", "-", "s"},   {"-", "+", "s"},   {"+=", "-=", "s"}, {"-=", "+=", "s"},
        {"<", ">=", "c"},  {">=", "<", "c"},  {">", "<=", "c"},  {"<=", ">", "c"},
        {"<", "<=", "o"},  {"<=", "<", "o"},  {">", ">=", "o"},  {">=", ">", "o"},
        {"==", "!=", "c"}, {"!=", "==", "c"}, {"&&", "||", "c"}, {"||", "&&", "c"}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        if (!is(s, i, pairs[k][0]) || !after_value(s, i))
            continue;
        const char c = pairs[k][2][0];
        add(s, c == 's' ? SIGN : c == 'c' ? COMPARISON : OFF_BY_ONE, i, i, pairs[k][1]);
    }
    if (is(s, i, "-") && !after_value(s, i))
        add(s, SIGN, i, i, "");
    if (is(s, i, "!"))
        add(s, COMPARISON, i, i, "");
}

static void mutate_number(const Source *s, size_t i) {
    const Token *t = &s->token[i];
    char old[64], text[96];
    if (t->length >= sizeof old)
        return;
    memcpy(old, s->text + t->at, t->length);
    old[t->length] = 0;
    const int hex = old[0] == '0' && (old[1] == 'x' || old[1] == 'X');
    if (!hex && strpbrk(old, ".eE")) {
        snprintf(text, sizeof text, strtod(old, NULL) == 0 ? "1.0" : "(2 * %s)", old);
        add(s, CONSTANT, i, i, text);
        return;
    }
    const long value = strtol(old, NULL, 0);
    if (value > 9 && i && is(s, i - 1, "[") && is(s, i + 1, "]"))
        return; // the size of a buffer
    if (value == 0)
        snprintf(text, sizeof text, "1");
    else if (value < 10)
        snprintf(text, sizeof text, "0");
    else
        snprintf(text, sizeof text, "(2 * %s)", old);
    add(s, CONSTANT, i, i, text);
    snprintf(text, sizeof text, "(%s + 1)", old);
    add(s, OFF_BY_ONE, i, i, text);
    if (value > 0) {
        snprintf(text, sizeof text, "(%s - 1)", old);
        add(s, OFF_BY_ONE, i, i, text);
    }
}

// the bracket that closes the one at i, or n
static size_t closing(const Source *s, size_t i) {
    int depth = 0;
    for (; i < s->n; i++) {
        if (is(s, i, "(") || is(s, i, "[") || is(s, i, "{"))
            depth++;
        else if ((is(s, i, ")") || is(s, i, "]") || is(s, i, "}")) && --depth == 0)
            return i;
    }
    return s->n;
}

// token i opens the arguments of a call
static void mutate_call(const Source *s, size_t i) {
    static const char *const no_call[] = {"if", "for", "while", "switch", "sizeof", "return"};
    if (!is(s, i, "(") || i == 0 || s->token[i - 1].type != WORD)
        return;
    for (size_t k = 0; k < sizeof no_call / sizeof *no_call; k++)
        if (is(s, i - 1, no_call[k]))
            return;
    const size_t close = closing(s, i);
    size_t begin[33], n = 0;
    begin[n++] = i + 1;
    for (size_t k = i + 1; k < close && n < 32; k++) {
        if (is(s, k, "(") || is(s, k, "[") || is(s, k, "{"))
            k = closing(s, k);
        else if (is(s, k, ","))
            begin[n++] = k + 1;
    }
    begin[n] = close + 1;
    for (size_t k = 0; k + 1 < n; k++) {
        const Token *a = &s->token[begin[k]], *a2 = &s->token[begin[k + 1] - 2],
                    *b = &s->token[begin[k + 1]], *b2 = &s->token[begin[k + 2] - 2];
        char text[512];
        const size_t la = a2->at + a2->length - a->at, lb = b2->at + b2->length - b->at;
        if (la + lb + 3 > sizeof text ||
            (la == lb && memcmp(s->text + a->at, s->text + b->at, la) == 0))
            continue;
        snprintf(text, sizeof text, "%.*s, %.*s", (int)lb, s->text + b->at, (int)la,
                 s->text + a->at);
        add(s, SWAPPED, begin[k], begin[k + 2] - 2, text);
    }
}

// 1 when if (..), for (..) or while (..) ends before token i
static int after_head(const Source *s, size_t i) {
    if (i < 2 || !is(s, i - 1, ")"))
        return 0;
    int depth = 0;
    size_t k = i - 1;
    for (; k > 0; k--) {
        depth += is(s, k, ")") - is(s, k, "(");
        if (depth == 0)
            break;
    }
    return k > 0 && (is(s, k - 1, "if") || is(s, k - 1, "for") || is(s, k - 1, "while"));
}

// a statement begins at i: an assignment, a call, break or continue
static void mutate_statement(const Source *s, size_t i) {
    if (i == 0 || (s->token[i].type != WORD && !is(s, i, "*") && !is(s, i, "++")) ||
        !(is(s, i - 1, ";") || is(s, i - 1, "{") || is(s, i - 1, "}") || is(s, i - 1, "else") ||
          is(s, i - 1, ":") || after_head(s, i)))
        return;
    size_t end = i;
    int changes = is(s, i, "break") || is(s, i, "continue") || is(s, i, "++");
    static const char *const others[] = {"return", "if",   "for",  "while", "switch", "do",
                                         "case",   "goto", "else", "const", "static", "default"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (is(s, i, others[k]))
            return;
    for (; end < s->n && !is(s, end, ";"); end++) {
        if (is(s, end, "{") || is(s, end, "}"))
            return;
        // two names without a sign between them declare something
        if (s->token[end].type == WORD && end > i && s->token[end - 1].type == WORD &&
            !is(s, end - 1, "sizeof"))
            return;
        if (is(s, end, "*") && end == i + 1)
            return; // a pointer is declared
        if (is(s, end, "(") && end == i + 1)
            changes = 1;
        const Token *t = &s->token[end];
        if (t->type == SIGNS && t->length <= 3 && s->text[t->at + t->length - 1] == '=' &&
            !is(s, end, "==") && !is(s, end, "<=") && !is(s, end, ">=") && !is(s, end, "!="))
            changes = 1;
        if (is(s, end, "++") || is(s, end, "--"))
            changes = 1;
        if (is(s, end, "(") || is(s, end, "["))
            end = closing(s, end);
        if (end == s->n)
            return;
    }
    if (changes && end < s->n)
        add(s, REMOVED, i, end, ";");
}

static void collect(const char *file) {
    Source s = {.file = file};
    FILE *f = fopen(file, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        fail("cannot read", file);
    s.size = (size_t)ftell(f);
    rewind(f);
    s.text = must(calloc(s.size + 4, 1));
    if (fread(s.text, 1, s.size, f) != s.size)
        fail("cannot read", file);
    fclose(f);
    split(&s);
    int brackets = 0;  // inside the head of a for loop no statement begins
    size_t memory = 0; // end of a request for memory: its size is left alone
    for (size_t i = 0; i < s.n; i++) {
        if (is(&s, i, "("))
            brackets++;
        else if (is(&s, i, ")"))
            brackets--;
        if (is(&s, i, "HOL_NEW"))
            memory = closing(&s, i + 1);
        if (s.token[i].type == NUMBER && i >= memory)
            mutate_number(&s, i);
        else if (s.token[i].type == SIGNS)
            mutate_sign(&s, i);
        if (s.token[i].body) {
            mutate_call(&s, i);
            if (brackets == 0)
                mutate_statement(&s, i);
        }
    }
    free(s.token);
    free(s.text);
}

// ---- choice ----

static uint64_t next_random(uint64_t *state) { // splitmix64
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fputs("usage: mutate N SEED FILE..\n", stderr);
        return 2;
    }
    const long n = atol(argv[1]);
    uint64_t state = strtoull(argv[2], NULL, 10);
    for (int i = 3; i < argc; i++)
        collect(argv[i]);
    size_t left = 0;
    for (int k = 0; k < KINDS; k++)
        left += lists[k].n;
    for (long i = 0; i < n && left > 0;) {
        const Kind kind = (Kind)(next_random(&state) % KINDS);
        const uint64_t place = next_random(&state);
        if (lists[kind].n == 0)
            continue;
        Mutation *m = &lists[kind].all[place % lists[kind].n];
        if (m->taken)
            continue;
        m->taken = 1;
        left--;
        i++;
        printf("%s\t%d\t%s\t%zu\t%zu\t%s\t%s\t%s\n", m->file, m->line, m->body ? "code" : "table",
               m->at, m->length, *m->text ? m->text : " ", kind_names[kind], m->tells);
    }
    return 0;
}
