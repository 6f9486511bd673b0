// SPDX-License-Identifier: Apache-2.0
// Small linear algebra of the doctor: lists of vectors of D <= 6 numbers.
#include "tools/doctor/doctor.h"

#include <math.h>
#include <string.h>

static double algebra_dot(int D, const double *a, const double *b) {
    double s = 0;
    for (int i = 0; i < D; i++)
        s += a[i] * b[i];
    return s;
}

// x loses its part along k orthonormal vectors, twice for round-off
static void algebra_clear(int D, double *x, double (*basis)[DOCTOR_D], int k) {
    for (int pass = 0; pass < 2; pass++)
        for (int j = 0; j < k; j++) {
            const double s = algebra_dot(D, x, basis[j]);
            for (int i = 0; i < D; i++)
                x[i] -= s * basis[j][i];
        }
}

int hol_doctor_span(int D, double (*x)[DOCTOR_D], int n, double tol, double (*out)[DOCTOR_D]) {
    int k = 0;
    for (int j = 0; j < n && k < D; j++) {
        const double size = sqrt(algebra_dot(D, x[j], x[j]));
        if (!(size > 0))
            continue;
        for (int i = 0; i < D; i++)
            out[k][i] = x[j][i] / size;
        algebra_clear(D, out[k], out, k);
        const double left = sqrt(algebra_dot(D, out[k], out[k]));
        if (!(left > tol))
            continue;
        for (int i = 0; i < D; i++)
            out[k][i] /= left;
        k++;
    }
    return k;
}

void hol_doctor_complement(int D, double (*x)[DOCTOR_D], int k, double (*out)[DOCTOR_D]) {
    double all[2 * DOCTOR_D][DOCTOR_D];
    int n = k;
    memcpy(all, x, sizeof *x * (size_t)k);
    while (n < D) { // the axis that is farthest from what there is
        double best = -1, found[DOCTOR_D] = {0};
        for (int e = 0; e < D; e++) {
            double y[DOCTOR_D] = {0};
            y[e] = 1;
            algebra_clear(D, y, all, n);
            const double size = sqrt(algebra_dot(D, y, y));
            if (size > best) {
                best = size;
                for (int i = 0; i < D; i++)
                    found[i] = y[i] / size;
            }
        }
        memcpy(all[n], found, sizeof found);
        memcpy(out[n - k], found, sizeof found);
        n++;
    }
}

// One-sided Jacobi: columns i, j are turned until they are perpendicular; their lengths are then the
// singular values, each to high relative accuracy.
void hol_doctor_svd(int D, double (*x)[DOCTOR_D], long n, double s[DOCTOR_D],
                    double v[DOCTOR_D][DOCTOR_D]) {
    double V[DOCTOR_D][DOCTOR_D] = {{0}};
    for (int i = 0; i < D; i++)
        V[i][i] = 1;
    for (int sweep = 0, turned = 1; sweep < 40 && turned; sweep++) {
        turned = 0;
        for (int i = 0; i < D; i++)
            for (int j = i + 1; j < D; j++) {
                double a = 0, b = 0, c = 0;
                for (long k = 0; k < n; k++) {
                    a += x[k][i] * x[k][i];
                    b += x[k][j] * x[k][j];
                    c += x[k][i] * x[k][j];
                }
                if (!(fabs(c) > 1e-15 * sqrt(a * b)) || !(fabs(c) > 1e-300))
                    continue;
                turned = 1;
                const double zeta = (b - a) / (2 * c);
                const double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
                const double cosine = 1 / sqrt(1 + t * t), sine = cosine * t;
                for (long k = 0; k < n; k++) {
                    const double p = x[k][i], q = x[k][j];
                    x[k][i] = cosine * p - sine * q;
                    x[k][j] = sine * p + cosine * q;
                }
                for (int k = 0; k < D; k++) {
                    const double p = V[i][k], q = V[j][k];
                    V[i][k] = cosine * p - sine * q;
                    V[j][k] = sine * p + cosine * q;
                }
            }
    }
    double size[DOCTOR_D];
    int used[DOCTOR_D] = {0};
    for (int i = 0; i < D; i++) {
        size[i] = 0;
        for (long k = 0; k < n; k++)
            size[i] += x[k][i] * x[k][i];
    }
    for (int i = 0; i < D; i++) {
        int best = -1;
        for (int j = 0; j < D; j++)
            if (!used[j] && (best < 0 || size[j] > size[best]))
                best = j;
        used[best] = 1;
        s[i] = sqrt(size[best]);
        memcpy(v[i], V[best], sizeof V[best]);
    }
}

void hol_doctor_fit(int D, double (*b)[DOCTOR_D], int n, const double *w, double *y) {
    // columns of B = [b_1 .. b_n] made perpendicular in turn: b_j = sum_k R_kj q_k; dependent ones get
    // no share
    double q[DOCTOR_ROWS][DOCTOR_D], R[DOCTOR_ROWS][DOCTOR_ROWS] = {{0}}, c[DOCTOR_ROWS];
    int place[DOCTOR_ROWS], k = 0;
    for (int j = 0; j < n; j++) {
        y[j] = 0;
        if (k == D)
            continue;
        const double size = sqrt(algebra_dot(D, b[j], b[j]));
        memcpy(q[k], b[j], sizeof q[k]);
        for (int pass = 0; pass < 2; pass++)
            for (int l = 0; l < k; l++) {
                const double s = algebra_dot(D, q[k], q[l]);
                R[l][k] += s;
                for (int i = 0; i < D; i++)
                    q[k][i] -= s * q[l][i];
            }
        const double left = sqrt(algebra_dot(D, q[k], q[k]));
        if (!(left > DOCTOR_DEPENDENT * size)) {
            for (int l = 0; l < k; l++)
                R[l][k] = 0;
            continue;
        }
        for (int i = 0; i < D; i++)
            q[k][i] /= left;
        R[k][k] = left;
        c[k] = algebra_dot(D, q[k], w);
        place[k++] = j;
    }
    for (int i = k - 1; i >= 0; i--) {
        for (int l = i + 1; l < k; l++)
            c[i] -= R[i][l] * c[l];
        c[i] /= R[i][i];
        y[place[i]] = c[i];
    }
}

double hol_doctor_determinant(int n, double *a) {
    double product = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (a[pivot * n + k] == 0)
            return 0;
        for (int j = k; j < n && pivot != k; j++) {
            const double keep = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = keep;
        }
        product *= a[k * n + k];
        for (int i = k + 1; i < n; i++) {
            const double s = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= s * a[k * n + j];
        }
    }
    return product;
}
