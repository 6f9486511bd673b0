// SPDX-License-Identifier: Apache-2.0
// What the tests of the C interface share: a folder of their own, a small model, a free coordinate.
#ifndef TEST_INTERFACE_PARTS_H
#define TEST_INTERFACE_PARTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holonom/doctor.h"
#include "holonom/tools.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64] = "/tmp/holonom-interface-XXXXXX";

static inline int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : 1;
}

static inline int remove_folder(void **state) {
    (void)state;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        unlink(path);
    }
    if (d)
        closedir(d);
    return rmdir(folder);
}

static inline const char *in_folder(const char *name) {
    static char path[4][160];
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static const char *const pendulum =
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
    "joints: [{type: revolute, between: [ground, {body: rod, at: [-0.5, 0]}]}]\n"
    "simulation: {end: 0.1, tolerance: 1e-6}\n";

// the same with another section
static inline char *in_text(const char *section) {
    static char text[1024];
    snprintf(text, sizeof text, "%s%s", pendulum, section);
    return text;
}

static inline HolModel *new_model(void) {
    HolModel *m;
    assert_int_equal(hol_model_create("m", HOL_PLANAR, NULL, &m, NULL), HOL_OK);
    return m;
}

static inline void add_rod(HolModel *m, const char *name) {
    HolBodyDef body = hol_body_def();
    body.name = name;
    body.inertia[0] = 0.1;
    assert_int_equal(hol_model_add_body(m, &body, NULL), HOL_OK);
}

static inline void unit_mass(const HolProblem *p, void *work, const HolPoint *at, double c,
                             int into_S, double *S) {
    (void)p, (void)work, (void)at, (void)into_S;
    S[0] += c;
}

static inline void no_force(const HolProblem *p, void *work, const HolPoint *at, double *f) {
    (void)p, (void)work, (void)at;
    f[0] = 0;
}

// one free coordinate
static inline HolProblem free_problem(void) {
    HolProblem p = hol_problem_def();
    p.nq = p.nv = 1;
    p.mass = unit_mass;
    p.force = no_force;
    return p;
}

static inline void no_text(void *to, const char *text, size_t length) {
    (void)to, (void)text, (void)length;
}

#endif
