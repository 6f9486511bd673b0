/* SPDX-License-Identifier: Apache-2.0 */
/* mujoco_rod.cpp - a rod as a chain of links in MuJoCo (rod.h); method: euler rk4 implicit, fixed step -h */
#include "rod.h"
#include <mujoco/mujoco.h>
#include <string>

static std::string text(const bench_args &A) {
    const double l = 1.0 / A.N, m = l, J = m * l * l / 12 + rod_rotary * l;
    char b[600];
    std::string s;
    snprintf(b, sizeof b,
             "<mujoco><size njmax='10' nconmax='1'/><option timestep='%.17g' gravity='0 -9.81 0' integrator='%s'>"
             "<flag contact='disable' constraint='disable'/></option><worldbody>",
             A.h, !strcmp(A.method, "rk4") ? "RK4" : !strcmp(A.method, "implicit") ? "implicit" : "Euler");
    s = b;
    for (int i = 0; i < A.N; i++) {
        snprintf(b, sizeof b,
                 "<body pos='%.17g 0 0'><joint type='hinge' axis='0 0 1' stiffness='%.17g'/>"
                 "<inertial pos='%.17g 0 0' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>",
                 i ? l : 0, i ? rod_EI / l : 0, l / 2, m, J / 2 + 1e-9, J / 2 + 1e-9, J);
        s += b;
    }
    snprintf(b, sizeof b, "<site name='tip' pos='%.17g 0 0'/>", l);
    s += b;
    for (int i = 0; i < A.N; i++)
        s += "</body>";
    return s + "</worldbody></mujoco>";
}

int main(int argc, char **argv) {
    bench_args A = bench_parse(argc, argv, "rk4");
    const std::string xml = text(A);
    static char file[] = "/tmp/rodXXXXXX";
    char error[500] = "";
    const int f = mkstemp(file);
    FILE *out = fdopen(f, "w");
    fputs(xml.c_str(), out);
    fclose(out);
    mjModel *m = mj_loadXML(file, NULL, error, sizeof error);
    remove(file);
    if (!m) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    mjData *d = mj_makeData(m);
    double best = 1e300, x = 0, y = 0;
    for (int run = 0; run < 3; run++) {
        mj_resetData(m, d);
        const double start = cpu_now();
        const long steps = lround(1 / A.h);
        for (long i = 0; i < steps; i++)
            mj_step(m, d);
        best = fmin(best, cpu_now() - start);
        mj_kinematics(m, d);
        x = d->site_xpos[0];
        y = d->site_xpos[1];
    }
    rod_print("MuJoCo", &A, best, x, y);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}
