// SPDX-License-Identifier: Apache-2.0
// Mass, centre of mass and inertia of a body that consists of solids of constant density rho, with
// centres c_i, masses m_i and inertia J_i about their centres in body axes:
//     m = sum m_i,  c = sum m_i c_i / m,  J = sum (J_i + m_i (d.d I - d d^T)),  d = c_i - c
//     box       m = rho a b c              Jxx = m (b^2 + c^2)/12, ..
//     cylinder  m = rho pi (R^2 - r^2) L   along its axis m (R^2 + r^2)/2, across m (3 (R^2 + r^2) + L^2)/12
//     sphere    m = rho 4/3 pi (R^3 - r^3) 2/5 m (R^5 - r^5)/(R^3 - r^3)
#include "io/place/place.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

// A diag(x, y, z) A^T
static Mat3 mass_turned(Mat3 A, double x, double y, double z) {
    const double d[3] = {x, y, z};
    Mat3 out = {{0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                out.m[3 * i + j] += A.m[3 * i + k] * d[k] * A.m[3 * j + k];
    return out;
}

static double mass_box(const HolSolidDef *s, Mat3 *J) {
    const double a = s->size[0], b = s->size[1], c = s->size[2] > 0 ? s->size[2] : 1;
    const double m = s->density * a * b * c;
    // (in the plane the thickness counts about x and y only)
    *J = mass_turned(q_matrix(q_load(s->quaternion)), m * (b * b + c * c) / 12,
                     m * (a * a + c * c) / 12, m * (a * a + b * b) / 12);
    return m;
}

static double mass_cylinder(const HolSolidDef *s, Vec3 *centre, Mat3 *J) {
    const Vec3 from = v3_load(s->from), to = v3_load(s->to), along = v3_sub(to, from);
    const double L = v3_norm(along), R = s->radius, r = s->inner_radius;
    const double m = s->density * M_PI * (R * R - r * r) * L;
    const double axial = m * (R * R + r * r) / 2, across = m * (3 * (R * R + r * r) + L * L) / 12;
    double u[3];
    *centre = v3_scale(v3_add(from, to), 0.5);
    v3_store(u, v3_scale(along, L > 0 ? 1 / L : 0));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J->m[3 * i + j] = (i == j ? across : 0) + (axial - across) * u[i] * u[j];
    return m;
}

static double mass_sphere(const HolSolidDef *s, Mat3 *J) {
    const double R = s->radius, r = s->inner_radius, volume = R * R * R - r * r * r;
    const double m = s->density * 4 / 3 * M_PI * volume;
    const double I = volume > 0 ? 0.4 * m * (pow(R, 5) - pow(r, 5)) / volume : 0;
    *J = mass_turned(m3_identity(), I, I, I);
    return m;
}

static double mass_solid(const HolSolidDef *s, Vec3 *centre, Mat3 *J) {
    *J = (Mat3){{0}};
    *centre = v3_load(s->at);
    if (!(s->density > 0))
        return 0;
    if (s->type == HOL_SOLID_BOX)
        return mass_box(s, J);
    return s->type == HOL_SOLID_CYLINDER ? mass_cylinder(s, centre, J) : mass_sphere(s, J);
}

void hol_solids_mass(const HolSolidDef *solids, int n, HolMass *out) {
    static const int entry[6] = {0, 4, 8, 1, 5, 6};
    Vec3 sum = v3(0, 0, 0), centre;
    Mat3 J, total = {{0}};
    *out = (HolMass){0};
    for (int i = 0; i < n; i++) {
        const double m = mass_solid(&solids[i], &centre, &J);
        out->mass += m;
        sum = v3_add(sum, v3_scale(centre, m));
    }
    const Vec3 c = out->mass > 0 ? v3_scale(sum, 1 / out->mass) : sum;
    v3_store(out->com, c);
    for (int i = 0; i < n; i++) {
        const double m = mass_solid(&solids[i], &centre, &J);
        double d[3];
        v3_store(d, v3_sub(centre, c));
        const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (int k = 0; k < 9; k++)
            total.m[k] += J.m[k] + m * ((k % 4 == 0 ? square : 0) - d[k / 3] * d[k % 3]);
    }
    for (int i = 0; i < 6; i++)
        out->inertia[i] = total.m[entry[i]];
}
