// SPDX-License-Identifier: Apache-2.0
// The pool of threads: every part once, sums in the same bits with and without it, no part lost
// when members sleep.
#include "base/thread_pool.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MOST = 20000 };

typedef struct Tally {
    atomic_int seen[MOST];
    atomic_int pieces, longest;
} Tally;

static Tally tally;

static void count_part(void *context, int part) {
    Tally *t = context;
    atomic_fetch_add(&t->seen[part], 1);
}

static void count_piece(void *context, int first, int end) {
    Tally *t = context;
    atomic_fetch_add(&t->pieces, 1);
    if (end - first > atomic_load(&t->longest))
        atomic_store(&t->longest, end - first);
    for (int i = first; i < end; i++)
        atomic_fetch_add(&t->seen[i], 1);
}

static void check_seen(int n) {
    for (int i = 0; i < MOST; i++)
        assert_int_equal(atomic_load(&tally.seen[i]), i < n);
    memset(&tally, 0, sizeof tally);
}

static void rest(long nanoseconds) {
    const struct timespec t = {0, nanoseconds};
    nanosleep(&t, NULL);
}

static void test_parts(void **state) {
    (void)state;
    HolArena arena = {0};
    for (int threads = 2; threads <= 4; threads++) {
        HolThreadPool *pool = hol_pool_create(&arena, threads);
        assert_non_null(pool);
        for (int round = 0; round < 300; round++) {
            const int parts = round % 9;
            hol_pool_run(pool, parts, count_part, &tally);
            for (int i = 0; i < 10; i++)
                assert_int_equal(atomic_load(&tally.seen[i]), i < parts);
            memset(&tally, 0, sizeof tally);
            if (round % 100 == 50)
                rest(3000000); // members fall asleep, and wake up again
        }
        hol_pool_call(pool, 200, count_part, &tally); // many more than threads
        check_seen(200);
        hol_pool_destroy(pool);
    }
    hol_pool_run(NULL, 5, count_part, &tally);
    check_seen(5);
    hol_pool_destroy(NULL);
    hol_arena_free(&arena);
}

static void test_create(void **state) {
    (void)state;
    HolArena arena = {0};
    assert_null(hol_pool_create(&arena, 1));
    assert_null(hol_pool_create(&arena, 0));
    arena.failed = 1;
    assert_null(hol_pool_create(&arena, 2));
    arena.failed = 0;
    HolThreadPool *pool = hol_pool_create(&arena, 100); // no more than HOL_TEAM_MOST
    assert_non_null(pool);
    hol_pool_loop(pool, 10000, count_piece, &tally);
    assert_int_equal(atomic_load(&tally.pieces), HOL_TEAM_MOST);
    check_seen(10000);
    hol_pool_destroy(pool);
    hol_arena_free(&arena);
    assert_in_range(hol_pool_processors(), 1, 100000);
}

static void check_loop(HolThreadPool *pool, int n, int pieces) {
    hol_pool_loop(pool, n, count_piece, &tally);
    assert_int_equal(atomic_load(&tally.pieces), pieces);
    assert_in_range(atomic_load(&tally.longest), n / pieces, n / pieces + 1);
    check_seen(n);
}

static void test_loops(void **state) {
    (void)state;
    HolArena arena = {0};
    HolThreadPool *pool = hol_pool_create(&arena, 3);
    assert_non_null(pool);
    check_loop(NULL, MOST, 1);
    check_loop(pool, HOL_LONG_LOOP - 1, 1);
    check_loop(pool, HOL_LONG_LOOP, 3);
    check_loop(pool, 16383, 3);
    check_loop(pool, 16384, 12); // very long ones in more pieces
    hol_pool_destroy(pool);
    hol_arena_free(&arena);
}

static double sum_inverse(void *context, int first, int end) {
    (void)context;
    double sum = 0;
    for (int i = first; i < end; i++)
        sum += 1.0 / (i + 1);
    return sum;
}

static void test_sums(void **state) {
    (void)state;
    HolArena arena = {0};
    HolThreadPool *pool = hol_pool_create(&arena, 2);
    const int sizes[] = {0, 1, HOL_LONG_LOOP - 1, HOL_LONG_LOOP, 10001};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const int n = sizes[i], half = n / 2;
        const double alone = hol_pool_sum(NULL, n, sum_inverse, NULL);
        assert_true(alone == hol_pool_sum(pool, n, sum_inverse, NULL)); // the same bits
        const double whole = sum_inverse(NULL, 0, n),
                     halves = sum_inverse(NULL, 0, half) + sum_inverse(NULL, half, n);
        assert_true(alone == (n < HOL_LONG_LOOP ? whole : halves));
    }
    assert_true(sum_inverse(NULL, 0, 10001) !=
                hol_pool_sum(NULL, 10001, sum_inverse, NULL)); // the order shows
    hol_pool_destroy(pool);
    hol_arena_free(&arena);
}

// the second part is done by a member, as the first one waits for it
static void meet(void *context, int part) {
    atomic_int *there = context;
    atomic_fetch_add(there, 1);
    while (atomic_load(there) < 2)
        rest(100000);
    if (part >= 0)
        for (volatile int i = 0; i < 2000000; i++)
            ;
}

static void test_member_time(void **state) {
    (void)state;
    HolArena arena = {0};
    HolThreadPool *pool = hol_pool_create(&arena, 2);
    assert_true(hol_pool_cpu(NULL) == 0);
    assert_true(hol_pool_cpu(pool) == 0);
    atomic_int there = 0;
    hol_pool_run(pool, 2, meet, &there);
    const double seconds = hol_pool_cpu(pool);
    assert_true(seconds > 1e-4 && seconds < 10);
    hol_pool_destroy(pool);
    hol_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),       cmocka_unit_test(test_create),
        cmocka_unit_test(test_loops),       cmocka_unit_test(test_sums),
        cmocka_unit_test(test_member_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
