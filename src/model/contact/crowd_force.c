// SPDX-License-Identifier: Apache-2.0
// Forces, energies and steps of contacts among many bodies (docs/theory/contact.md, section 20). A pair
// touches in the middle C of its overlap; with the normal n from the first to the second and the
// relative velocity w of both bodies at C
//     d = R_a + R_b - |x_b - x_a|,  d' = -w.n,  s = w - (w.n) n
//     force on the second: F n - mu(|s|) F s/sqrt(|s|^2 + v_e^2), on the first the opposite, both at C
// so that momentum and angular momentum are those of pairs. A wall is the plane n.(x - P) = 0 of its body.
//
// Steps: no ball moves by more than a quarter of the least radius, so that none passes another unseen; and
// a step ends at the next touch or separation (of the motion with the present accelerations), unless more
// than HOL_CROWD_LOCATED pairs touch at its start or in it.
#include "math/vec.h"
#include "model/contact/crowd.h"

#include <math.h>
#include <string.h>

static const double WAY = 0.25;      // of the least radius, in a step
static const double NOW = 1e-7;      // of the radii: a gap that counts as closed
static const double SHORTEST = 1e-3; // of a step: it ends no earlier for a touch

typedef struct Crowded {
    const HolModel *m;
    const HolCrowd *c;
    HolCrowdWork w;
    Vec3 wall
        [5];   // the wall at hand: a point of it, normal, velocity there, angular velocity; torque
    Vec3 push; // and the force on it
    HolCrowdSums sums;
    int moving; // 1: velocities are known
} Crowded;

// ---- places ----

static Mat3 crowd_axes(const HolModel *m, const HolFrame *f) {
    Mat3 A = {{f->c, -f->s, 0, f->s, f->c, 0, 0, 0, 1}};
    if (m->space == HOL_SPATIAL)
        memcpy(A.m, f->A, sizeof A.m);
    return A;
}

// a place of a body: x and, where v is not NULL, its velocity and angular velocity
static void crowd_place(const HolModel *m, const HolFrame *frames, const double *v, int body,
                        const double at[3], Vec3 *x, Vec3 *velocity, Vec3 *turn) {
    const HolFrame *f = &frames[body];
    const HolBody *b = &m->def.bodies[body];
    const int plane = m->space == HOL_PLANAR;
    const Mat3 A = crowd_axes(m, f);
    const Vec3 arm = m3_mulv(A, v3_load(at));
    *x = v3_add(v3(f->r[0], f->r[1], plane ? 0 : f->r[2]), arm);
    *velocity = *turn = v3(0, 0, 0);
    if (!v || body == 0)
        return;
    v += b->v;
    if (hol_body_turns(&b->def))
        *turn = plane ? v3(0, 0, v[2]) : m3_mulv(A, v3_load(v + 3));
    *velocity = v3_add(v3(v[0], v[1], plane ? 0 : v[2]), v3_cross(*turn, arm));
}

// f += a force and a torque about the place `at` of a body
static void crowd_apply(const HolModel *m, const HolFrame *frames, int body, const double at[3],
                        Vec3 F, Vec3 T, double *f) {
    const HolBody *b = &m->def.bodies[body];
    const int plane = m->space == HOL_PLANAR;
    if (body == 0)
        return;
    const Mat3 A = crowd_axes(m, &frames[body]);
    double force[3], torque[3];
    v3_store(force, F);
    for (int k = 0; k < (plane ? 2 : 3); k++)
        f[b->v + k] += force[k];
    if (!hol_body_turns(&b->def))
        return;
    T = v3_add(T, v3_cross(m3_mulv(A, v3_load(at)), F));
    v3_store(torque, plane ? T : m3_tmulv(A, T));
    if (plane)
        f[b->v + 2] += torque[2];
    for (int k = 0; k < 3 && !plane; k++)
        f[b->v + 3 + k] += torque[k];
}

static void crowd_gather(Crowded *s, const HolFrame *frames, const double *v) {
    const HolCrowd *c = s->c;
    for (int i = 0; i < c->n; i++) {
        Vec3 x, velocity, turn;
        crowd_place(s->m, frames, v, c->balls[i].body, c->balls[i].at, &x, &velocity, &turn);
        v3_store(s->w.x + 3 * i, x);
        v3_store(s->w.v + 3 * i, velocity);
        v3_store(s->w.w + 3 * i, turn);
    }
    memset(s->w.f, 0, sizeof(double) * 6 * (size_t)c->n);
    hol_crowd_sort(c, &s->w);
}

// ---- a pair ----

static double crowd_mu(const HolFrictionDef *f, double speed) {
    const double rise = isnan(f->mu_static) ? 0 : f->mu_static - f->mu;
    return rise > 0 && f->stribeck > 0 ? f->mu + rise * exp(-speed / f->stribeck) : f->mu;
}

// force on the second of a pair with the relative velocity w at the point of contact
static Vec3 crowd_force(Crowded *s, Vec3 n, Vec3 w, double R, double mass, double d) {
    const double rate = -v3_dot(w, n);
    const HolFrictionDef *f = &s->c->def->friction;
    const HolCrowdForce law = hol_crowd_law(s->c, R, mass, d, rate);
    Vec3 F = v3_scale(n, law.F);
    s->sums.touching++;
    s->sums.potential += law.potential;
    s->sums.power -= law.damping;
    if (!f->given || !s->moving)
        return F;
    const Vec3 slip = v3_add(w, v3_scale(n, rate));
    const double square = v3_dot(slip, slip),
                 by = crowd_mu(f, sqrt(square)) * law.F / sqrt(square + f->speed * f->speed);
    s->sums.heat += by * square;
    s->sums.power -= by * square;
    return v3_sub(F, v3_scale(slip, by));
}

static void crowd_add(double *to, Vec3 a) {
    v3_store(to, v3_add(v3_load(to), a));
}

static double crowd_mass(double a, double b) { // (0: it does not give way)
    return a > 0 && b > 0 ? a * b / (a + b) : a + b;
}

static void crowd_pair(void *context, int i, int j) {
    Crowded *s = context;
    const HolCrowdBall *a = &s->c->balls[i], *b = &s->c->balls[j];
    HolCrowdWork *w = &s->w;
    const Vec3 along = v3_sub(v3_load(w->x + 3 * j), v3_load(w->x + 3 * i));
    const double far = v3_norm(along), d = a->radius + b->radius - far;
    if (!(d > 0) || !(far > 0)) // (at one place there is no direction)
        return;
    const Vec3 n = v3_scale(along, 1 / far), arm_a = v3_scale(n, a->radius - 0.5 * d),
               arm_b = v3_scale(n, 0.5 * d - b->radius);
    const Vec3 va = v3_add(v3_load(w->v + 3 * i), v3_cross(v3_load(w->w + 3 * i), arm_a)),
               vb = v3_add(v3_load(w->v + 3 * j), v3_cross(v3_load(w->w + 3 * j), arm_b));
    const Vec3 F =
        crowd_force(s, n, v3_sub(vb, va), a->radius * b->radius / (a->radius + b->radius),
                    crowd_mass(a->mass, b->mass), d);
    crowd_add(w->f + 3 * j, F);
    crowd_add(w->t + 3 * j, v3_cross(arm_b, F));
    crowd_add(w->f + 3 * i, v3_scale(F, -1));
    crowd_add(w->t + 3 * i, v3_cross(F, arm_a));
}

// the wall at hand into s->wall
static void crowd_wall(Crowded *s, const HolFrame *frames, const double *v,
                       const HolCrowdWall *wall) {
    crowd_place(s->m, frames, v, wall->body, wall->at, &s->wall[0], &s->wall[2], &s->wall[3]);
    s->wall[1] = m3_mulv(crowd_axes(s->m, &frames[wall->body]), v3_load(wall->normal));
    s->wall[4] = s->push = v3(0, 0, 0);
}

static void crowd_on_wall(Crowded *s, const HolCrowdWall *wall, int i) {
    const HolCrowdBall *b = &s->c->balls[i];
    HolCrowdWork *w = &s->w;
    const Vec3 n = s->wall[1], from = v3_sub(v3_load(w->x + 3 * i), s->wall[0]);
    const double d = b->radius - v3_dot(n, from);
    if (!(d > 0) || b->body == wall->body)
        return;
    const Vec3 arm = v3_scale(n, 0.5 * d - b->radius), on = v3_add(from, arm);
    const Vec3 vb = v3_add(v3_load(w->v + 3 * i), v3_cross(v3_load(w->w + 3 * i), arm)),
               va = v3_add(s->wall[2], v3_cross(s->wall[3], on));
    const Vec3 F = crowd_force(s, n, v3_sub(vb, va), b->radius, crowd_mass(b->mass, wall->mass), d);
    crowd_add(w->f + 3 * i, F);
    crowd_add(w->t + 3 * i, v3_cross(arm, F));
    s->push = v3_sub(s->push, F);
    s->wall[4] = v3_sub(s->wall[4], v3_cross(on, F));
}

// ---- all of a model ----

size_t hol_crowds_work_size(const HolModel *m) {
    const HolCrowd *last = m->touch.n_crowds ? &m->touch.crowds[m->touch.n_crowds - 1] : NULL;
    return last ? (last->work + hol_crowd_work_size(last)) * sizeof(double) : 0;
}

static void crowd_walk(Crowded *s, const HolFrame *frames, const double *v, double *f) {
    const HolCrowd *c = s->c;
    s->moving = v != NULL;
    crowd_gather(s, frames, v);
    hol_crowd_pairs(c, &s->w, s->m->space == HOL_PLANAR, 0, crowd_pair, s);
    for (int k = 0; k < c->n_walls; k++) {
        crowd_wall(s, frames, v, &c->walls[k]);
        for (int i = 0; i < c->n; i++)
            crowd_on_wall(s, &c->walls[k], i);
        if (f)
            crowd_apply(s->m, frames, c->walls[k].body, c->walls[k].at, s->push, s->wall[4], f);
    }
    for (int i = 0; f && i < c->n; i++)
        crowd_apply(s->m, frames, c->balls[i].body, c->balls[i].at, v3_load(s->w.f + 3 * i),
                    v3_load(s->w.t + 3 * i), f);
}

void hol_crowds_force(const HolModel *m, HolModelWork *w, const double *v, double *f) {
    for (int i = 0; i < m->touch.n_crowds; i++) {
        Crowded s = {.m = m, .c = &m->touch.crowds[i]};
        s.w = hol_crowd_work(s.c, w->crowds);
        crowd_walk(&s, w->frames, v, f);
    }
}

HolCrowdSums hol_crowds_sums(const HolModel *m, HolModelWork *w, const double *v) {
    HolCrowdSums sums = {0};
    for (int i = 0; i < m->touch.n_crowds; i++) {
        Crowded s = {.m = m, .c = &m->touch.crowds[i], .sums = sums};
        s.w = hol_crowd_work(s.c, w->crowds);
        crowd_walk(&s, w->frames, v, NULL);
        sums = s.sums;
    }
    return sums;
}

// ---- steps ----

typedef struct Touches {
    const HolCrowd *c;
    HolCrowdWork w; // (f: accelerations)
    double h, first;
    long n;
} Touches;

// the time at which |d + v t + a t^2/2| - R, or its part along n, is zero: a touch or a separation,
// Newton from the present place; INFINITY: it moves the other way
static double touch_time(Vec3 d, Vec3 v, Vec3 a, double R, const Vec3 *n) {
    double t = 0;
    for (int k = 0; k < 4; k++) {
        const Vec3 at = v3_add(d, v3_add(v3_scale(v, t), v3_scale(a, 0.5 * t * t))),
                   speed = v3_add(v, v3_scale(a, t));
        const double far = n ? v3_dot(*n, at) : v3_norm(at),
                     rate = n ? v3_dot(*n, speed) : v3_dot(at, speed) / far;
        if (!((far > R ? -rate : rate) > 0) || !(far > 0))
            return k && fabs(far - R) <= NOW * R ? t : INFINITY;
        t -= (far - R) / rate;
    }
    return t;
}

static void touch_count(Touches *s, double t, int pressed) {
    const int changes = t > 0 && t < s->h;
    s->n += changes || pressed;
    if (changes)
        s->first = fmin(s->first, t);
}

static void touch_pair(void *context, int i, int j) {
    Touches *s = context;
    const HolCrowdWork *w = &s->w;
    const double R = s->c->balls[i].radius + s->c->balls[j].radius;
    const Vec3 d = v3_sub(v3_load(w->x + 3 * j), v3_load(w->x + 3 * i));
    const double gap = v3_norm(d) - R;
    if (s->n > HOL_CROWD_LOCATED)
        return;
    touch_count(s,
                fabs(gap) > NOW * R
                    ? touch_time(d, v3_sub(v3_load(w->v + 3 * j), v3_load(w->v + 3 * i)),
                                 v3_sub(v3_load(w->f + 3 * j), v3_load(w->f + 3 * i)), R, NULL)
                    : INFINITY,
                gap < 0);
}

static void touch_walls(Touches *s, Crowded *of, const HolFrame *frames, const double *v) {
    for (int k = 0; k < s->c->n_walls; k++) {
        crowd_wall(of, frames, v, &s->c->walls[k]);
        for (int i = 0; i < s->c->n && s->n <= HOL_CROWD_LOCATED; i++) {
            const Vec3 d = v3_sub(v3_load(s->w.x + 3 * i), of->wall[0]);
            const double R = s->c->balls[i].radius;
            const Vec3 speed =
                v3_sub(v3_load(s->w.v + 3 * i), v3_add(of->wall[2], v3_cross(of->wall[3], d)));
            const double gap = v3_dot(of->wall[1], d) - R;
            touch_count(s,
                        fabs(gap) > NOW * R
                            ? touch_time(d, speed, v3_load(s->w.f + 3 * i), R, &of->wall[1])
                            : INFINITY,
                        gap < 0);
        }
    }
}

// the longest step in which no ball moves by more than its share
static double crowd_reach(Crowded *s, const double *a) {
    double speed = 0, bend = 0;
    for (int i = 0; i < s->c->n; i++) {
        const HolBody *b = &s->m->def.bodies[s->c->balls[i].body];
        const Vec3 acceleration =
            v3(a[b->v], a[b->v + 1], s->m->space == HOL_PLANAR ? 0 : a[b->v + 2]);
        v3_store(s->w.f + 3 * i, acceleration);
        speed = fmax(speed, v3_norm(v3_load(s->w.v + 3 * i)));
        bend = fmax(bend, v3_norm(acceleration));
    }
    const double way = WAY * s->c->least;
    return 2 * way / (speed + sqrt(speed * speed + 2 * bend * way));
}

static double crowd_step(const HolProblem *p, void *work, const HolPoint *at, double h, int *many,
                         double *reach) {
    const HolModel *m = p->user;
    HolModelWork *w = work;
    *many = 0;
    *reach = INFINITY;
    hol_model_position(m, w, at->t, at->q);
    for (int i = 0; i < m->touch.n_crowds; i++) {
        Crowded s = {.m = m, .c = &m->touch.crowds[i]};
        s.w = hol_crowd_work(s.c, w->crowds);
        crowd_gather(&s, w->frames, at->v);
        *reach = fmin(*reach, crowd_reach(&s, at->a));
        Touches t = {.c = s.c, .w = s.w, .h = fmin(h, *reach), .first = INFINITY};
        hol_crowd_pairs(s.c, &s.w, m->space == HOL_PLANAR, 2 * WAY * s.c->least, touch_pair, &t);
        touch_walls(&t, &s, w->frames, at->v);
        h = t.h;
        if (t.n > HOL_CROWD_LOCATED)
            *many = 1;
        else if (t.first < h)
            h = fmax(t.first, SHORTEST * h);
    }
    return h;
}

void hol_crowds_functions(HolModel *m) {
    if (!m->touch.n_crowds)
        return;
    m->extras.crowd = m->touch.crowds[0].name;
    m->extras.crowd_step = crowd_step;
}
