// SPDX-License-Identifier: Apache-2.0
// The arena: zeroed aligned memory that does not overlap, growth in few blocks, failures that stay.
#include "base/arena.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_pieces(void **state) {
    (void)state;
    HolArena a = {0};
    enum { N = 300 };
    unsigned char *piece[N];
    size_t size[N], sum = 0;
    for (int i = 0; i < N; i++) {
        size[i] = (size_t)(i * i % 977);
        piece[i] = hol_arena_alloc(&a, size[i]);
        assert_non_null(piece[i]);
        assert_int_equal((uintptr_t)piece[i] % 64, 0);
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(piece[i][k], 0);
        memset(piece[i], i % 251 + 1, size[i]);
        // whole lines of 64 bytes, at least one
        sum += size[i] ? (size[i] + 63) / 64 * 64 : 64;
        assert_int_equal(a.total, sum);
    }
    for (int i = 0; i < N; i++)
        for (size_t k = 0; k < size[i]; k++)
            assert_int_equal(piece[i][k], i % 251 + 1);
    hol_arena_free(&a);
    assert_null(a.block);
    assert_int_equal(a.total, 0);
}

// bytes behind each piece that nobody may touch (arena.c)
#if defined(__SANITIZE_ADDRESS__)
#define GUARDED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED 1
#endif
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
enum { GUARD = 64 };

static void test_guards(void **state) {
    (void)state;
    HolArena a = {0};
    for (size_t size = 1; size < 200; size++) {
        char *p = hol_arena_alloc(&a, size), *text = hol_arena_text_n(&a, p, size);
        assert_non_null(p);
        assert_int_equal(__asan_address_is_poisoned(p + size - 1), 0);
        assert_int_equal(__asan_address_is_poisoned(p + (size + 63) / 64 * 64 - 1), 0);
        assert_int_equal(__asan_address_is_poisoned(p + (size + 63) / 64 * 64), 1);
        assert_int_equal(__asan_address_is_poisoned(text + size), 0);
        assert_int_equal(__asan_address_is_poisoned(text + size + 1), 1);
    }
    hol_arena_free(&a);
}
#else
enum { GUARD = 0 };
#endif

// pieces of one byte do not share a line
static void test_lines(void **state) {
    (void)state;
    HolArena a = {0};
    char *x = hol_arena_alloc(&a, 0), *y = hol_arena_alloc(&a, 1), *z = hol_arena_alloc(&a, 64),
         *w = hol_arena_alloc(&a, 65), *end = hol_arena_alloc(&a, 1);
    assert_int_equal(y - x, 64 + GUARD);
    assert_int_equal(z - y, 64 + GUARD);
    assert_int_equal(w - z, 64 + GUARD);
    assert_int_equal(end - w, 128 + GUARD);
    hol_arena_free(&a);
}

// blocks double, large ones grow by a quarter: allocations grow with the logarithm of the size
static void test_few_blocks(void **state) {
    (void)state;
    HolArena a = {0};
    long before = hol_arena_count();
    if (GUARD)
        skip();
    for (int i = 0; i < 16384 / 64; i++) // the first block is filled to its end
        assert_non_null(hol_arena_alloc(&a, 64));
    assert_int_equal(hol_arena_count() - before, 1);
    assert_non_null(hol_arena_alloc(&a, 1));
    assert_int_equal(hol_arena_count() - before, 2);
    while (a.total < (size_t)1 << 20)
        hol_arena_alloc(&a, 1000);
    assert_in_range(hol_arena_count() - before, 6, 8);
    while (a.total < (size_t)1 << 26)
        hol_arena_alloc(&a, 100000);
    assert_in_range(hol_arena_count() - before, 14, 22);
    hol_arena_free(&a);
}

// a large block: zero, aligned, writable to its last byte
static void test_large(void **state) {
    (void)state;
    HolArena a = {0};
    const size_t sizes[] = {(1 << 21) - 64, 1 << 21, (1 << 21) + 1, 5 << 20, (size_t)40 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *p = hol_arena_alloc(&a, sizes[i]);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 64, 0);
        assert_int_equal(p[0] | p[sizes[i] / 2] | p[sizes[i] - 1], 0);
        memset(p, 1, sizes[i]);
    }
    hol_arena_free(&a);
}

static void test_failure_stays(void **state) {
    (void)state;
    HolArena a = {0};
    assert_non_null(hol_arena_alloc(&a, 10));
    hol_arena_fail_after(1);
    assert_non_null(hol_arena_alloc(&a, 20000)); // the next but one fails
    assert_null(hol_arena_alloc(&a, 100000));
    hol_arena_fail_after(-1);
    assert_int_equal(a.failed, 1);
    assert_null(hol_arena_alloc(&a, 1));
    hol_arena_free(&a);
    assert_int_equal(a.failed, 0);
    assert_non_null(hol_arena_alloc(&a, 1));
    hol_arena_free(&a);
}

static void test_sizes_that_overflow(void **state) {
    (void)state;
    HolArena a = {0};
    assert_null(hol_arena_array(&a, 8, SIZE_MAX / 8 + 1)); // 8 * that is 0 modulo 2^64
    assert_int_equal(a.failed, 1);
    hol_arena_free(&a);
    assert_null(HOL_NEW(&a, double, -1));
    hol_arena_free(&a);
    assert_null(hol_arena_alloc(&a, SIZE_MAX));
    hol_arena_free(&a);
    assert_non_null(hol_arena_array(&a, 0, SIZE_MAX));
    assert_non_null(hol_arena_array(&a, 24, 3));
    assert_int_equal(a.total, 64 + 128);
    hol_arena_free(&a);
}

static void test_text(void **state) {
    (void)state;
    HolArena a = {0};
    char word[] = "crank";
    char *copy = hol_arena_text(&a, word), *part = hol_arena_text_n(&a, word, 3);
    word[0] = 'b';
    assert_string_equal(copy, "crank");
    assert_string_equal(part, "cra");
    assert_null(hol_arena_text(&a, NULL));
    assert_string_equal(hol_arena_text_n(&a, word, 0), "");
    hol_arena_free(&a);
}

// an arena is as new after it was freed: short texts do not go where those before stood
static void test_text_after_free(void **state) {
    (void)state;
    HolArena a = {0};
    hol_arena_text(&a, "one");
    hol_arena_free(&a);
    assert_null(a.text);
    assert_int_equal(a.text_left, 0);
    assert_string_equal(hol_arena_text(&a, "two"), "two");
    assert_non_null(a.block);
    hol_arena_free(&a);
}

static void test_grow(void **state) {
    (void)state;
    HolArena a = {0};
    int *list = NULL, n = 0, capacity = 0, moves = 0;
    for (; n < 1000; n++) {
        int *old = list;
        assert_int_equal(HOL_GROW(&a, list, n, capacity), 1);
        assert_true(capacity > n);
        moves += list != old;
        list[n] = 7 * n;
    }
    assert_int_equal(capacity, 1024);
    assert_int_equal(moves, 8);
    for (int i = 0; i < n; i++)
        assert_int_equal(list[i], 7 * i);
    // no room for the next thing even after doubling: refused, the list stays
    int *old = list;
    assert_int_equal(hol_arena_grow(&a, (void **)&list, sizeof *list, 5000, &capacity), 0);
    assert_ptr_equal(list, old);
    assert_int_equal(capacity, 1024);
    hol_arena_free(&a);
    capacity = INT32_MAX;
    assert_int_equal(hol_arena_grow(&a, (void **)&list, 1, INT32_MAX, &capacity), 0);
    assert_int_equal(a.failed, 1);
    hol_arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_few_blocks),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_failure_stays),
        cmocka_unit_test(test_sizes_that_overflow),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_text_after_free),
#ifdef GUARDED
        cmocka_unit_test(test_guards),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
