// SPDX-License-Identifier: Apache-2.0
// Sections of beams: compliance, mass and rotary inertia per length. Axes of a section: x along the
// rod, z `up` (in the plane y is the height of a section and z stands out of the plane).
//   rectangle  width b (along y), height h (along z): A = b h, Iy = b h^3/12, Iz = h b^3/12,
//              J = a c^3/3 (1 - 192/pi^5 (c/a) sum_{k odd} tanh(k pi a/2c)/k^5), a >= c the sides
//   circle     I = pi r^4/4, J = 2 I;    tube  the difference of two circles
//   shear      GA times Cowper's factor: rectangle 10(1+nu)/(12+11nu), circle 6(1+nu)/(7+6nu),
//              tube 6(1+nu)(1+m^2)^2/((7+6nu)(1+m^2)^2 + (20+12nu)m^2), m = ri/ro
#include "model/body/beam.h"

#include <math.h>
#include <string.h>

typedef struct Area {
    double A, Iy, Iz, J, shear;
} Area;

static double beam_section_torsion(double a, double c) {
    double sum = 0;
    if (a < c) {
        const double swap = a;
        a = c;
        c = swap;
    }
    for (int k = 1; k < 60; k += 2)
        sum += tanh(k * M_PI * a / (2 * c)) / pow(k, 5);
    return a * c * c * c / 3 * (1 - 192 / pow(M_PI, 5) * (c / a) * sum);
}

static Area beam_section_area(const HolBeamDef *d, double nu) {
    const double a = d->size[0], b = d->size[1];
    if (d->shape == HOL_SECTION_RECTANGLE)
        return (Area){a * b, a * b * b * b / 12, b * a * a * a / 12, beam_section_torsion(a, b),
                      10 * (1 + nu) / (12 + 11 * nu)};
    const double m2 = d->shape == HOL_SECTION_TUBE ? b * b / (a * a) : 0, one = (1 + m2) * (1 + m2);
    const double I = M_PI / 4 * pow(a, 4) * (1 - m2 * m2);
    return (Area){M_PI * a * a * (1 - m2), I, I, 2 * I,
                  6 * (1 + nu) * one / ((7 + 6 * nu) * one + (20 + 12 * nu) * m2)};
}

static int beam_section_problem(const HolModel *m, const HolBeamDef *d, HolError *err,
                                const char *text) {
    hol_problem_error(m, err, d->body.line, d->body.column, "beam '%s': %s", d->body.name, text);
    return 0;
}

// inverse of a symmetric positive n x n matrix, both in rows of 6; 0: it is not positive
static int beam_section_invert(const double *K, int n, double *out) {
    double L[6][6] = {{0}}, X[6][6] = {{0}};
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double s = K[n * i + j];
            for (int k = 0; k < j; k++)
                s -= L[i][k] * L[j][k];
            if (i == j && !(s > 0))
                return 0;
            L[i][j] = i == j ? sqrt(s) : s / L[j][j];
        }
    for (int c = 0; c < n; c++) {
        for (int i = c; i < n; i++) {
            double s = i == c;
            for (int k = c; k < i; k++)
                s -= L[i][k] * X[k][c];
            X[i][c] = s / L[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            double s = X[i][c];
            for (int k = i + 1; k < n; k++)
                s -= L[k][i] * X[k][c];
            X[i][c] = s / L[i][i];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[6 * i + j] = 0.5 * (X[i][j] + X[j][i]);
    return 1;
}

// a full matrix: in the plane the entries of N, Vy, Mz
static int beam_section_matrix(const HolModel *m, const HolBeamDef *d, double C[36],
                               HolError *err) {
    const int plane = m->space == HOL_PLANAR, n = plane ? 3 : 6;
    double inverse[36] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(d->matrix[n * i + j] - d->matrix[n * j + i]) >
                1e-12 * (fabs(d->matrix[n * i + i]) + fabs(d->matrix[n * j + j])))
                return beam_section_problem(m, d, err, "its stiffness matrix is not symmetric");
    if (!beam_section_invert(d->matrix, n, inverse))
        return beam_section_problem(m, d, err, "its stiffness matrix is not positive definite");
    static const int at[3] = {0, 1, 5};
    if (plane && (inverse[1] != 0 || inverse[2] != 0 || inverse[8] != 0))
        return beam_section_problem(
            m, d, err, "in the plane its stiffness matrix must be diagonal: EA, GA, EI");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            C[6 * (plane ? at[i] : i) + (plane ? at[j] : j)] = inverse[6 * i + j];
    return 1;
}

// the first that was given
static double beam_section_first(double a, double b, double c) {
    return !isnan(a) ? a : !isnan(b) ? b : c;
}

static int beam_section_entries(const HolModel *m, const HolBeamDef *d, double G, const Area *s,
                                double C[36], HolError *err) {
    const int plane = m->space == HOL_PLANAR, given = d->shape == HOL_SECTION_NONE;
    const double E = given ? NAN : d->E, rigid = INFINITY;
    const double EA = beam_section_first(d->EA, E * s->A, NAN);
    const double shear = given || d->shear_rigid ? rigid : G * s->A * s->shear;
    const double GAy = beam_section_first(d->GAy, d->GA, shear),
                 GAz = beam_section_first(d->GAz, d->GA, shear);
    // in the plane a section bends about z with its height along y
    const double EIz = beam_section_first(d->EIz, d->EI, E * (plane ? s->Iy : s->Iz)),
                 EIy = beam_section_first(d->EIy, d->EI, plane ? EIz : E * s->Iy),
                 GJ = beam_section_first(d->GJ, plane ? EIz : NAN, given ? NAN : G * s->J);
    if (isnan(EA))
        return beam_section_problem(m, d, err,
                                    "it has no axial stiffness: give a section and a material, or "
                                    "stiffness: {EA: ..}");
    if (isnan(EIz) || isnan(EIy))
        return beam_section_problem(m, d, err,
                                    "it has no bending stiffness: stiffness: {EI: ..}; a cable has "
                                    "a small one, not none");
    if (isnan(GJ))
        return beam_section_problem(m, d, err,
                                    "it has no torsional stiffness: stiffness: {GJ: ..}");
    C[0] = 1 / EA;
    C[7] = 1 / GAy;
    C[14] = 1 / GAz;
    C[21] = 1 / GJ;
    C[28] = 1 / EIy;
    C[35] = 1 / EIz;
    return 1;
}

static int beam_section_mass(const HolModel *m, const HolBeamDef *d, const Area *s,
                             HolBeamSection *out, HolError *err) {
    const int plane = m->space == HOL_PLANAR, shaped = d->shape != HOL_SECTION_NONE;
    out->mass = beam_section_first(d->mass_per_length, shaped ? d->rho * s->A : NAN, NAN);
    if (isnan(out->mass))
        return beam_section_problem(m, d, err,
                                    shaped ? "its material has no rho [kg/m^3]"
                                           : "it has no mass: give mass_per_length [kg/m]");
    if (d->n_rotary) {
        for (int i = 0; i < 3; i++)
            out->rotary[i] = d->rotary[d->n_rotary == 3 ? i : 0];
        return 1;
    }
    if (!shaped || isnan(d->rho))
        return beam_section_problem(
            m, d, err, "it has no rotary inertia: give rotary [kg m], rho I per length");
    const double Iz = plane ? s->Iy : s->Iz;
    out->rotary[0] = d->rho * (s->Iy + s->Iz);
    out->rotary[1] = d->rho * s->Iy;
    out->rotary[2] = d->rho * Iz;
    return 1;
}

int hol_beam_section(const HolModel *m, const HolBeamDef *d, HolBeamSection *out, HolError *err) {
    const int shaped = d->shape != HOL_SECTION_NONE;
    const double nu = isnan(d->nu) ? 0.3 : d->nu;
    Area s = {0};
    *out = (HolBeamSection){0};
    if (shaped) {
        s = beam_section_area(d, nu);
        const int flat = d->shape == HOL_SECTION_RECTANGLE, plane = m->space == HOL_PLANAR;
        out->per_area = 1 / s.A;
        out->edge[0] = (flat ? 0.5 * d->size[1] : d->size[0]) / s.Iy;
        out->edge[1] = plane ? out->edge[0] : (flat ? 0.5 : 1) * d->size[0] / s.Iz;
        if (isnan(d->E) && !d->matrix && isnan(d->EA))
            return beam_section_problem(m, d, err, "its material has no E [N/m^2]");
    }
    const double G = isnan(d->G) ? d->E / (2 * (1 + nu)) : d->G;
    if (d->matrix ? !beam_section_matrix(m, d, out->C, err)
                  : !beam_section_entries(m, d, G, &s, out->C, err))
        return 0;
    return beam_section_mass(m, d, &s, out, err);
}
