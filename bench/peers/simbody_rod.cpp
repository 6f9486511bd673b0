/* SPDX-License-Identifier: Apache-2.0 */
/* simbody_rod.cpp - a rod as a chain of links in Simbody (rod.h); method: rkm rkf verlet (-tol), bdf adams (CPodes) */
#include "Simbody.h"
#include "rod.h"
#include <memory>
#include <vector>
using namespace SimTK;

int main(int argc, char **argv) {
    bench_args A = bench_parse(argc, argv, "rkm");
    const double l = 1.0 / A.N, mass = l, J = mass * l * l / 12 + rod_rotary * l;
    double best = 1e300;
    Vec3 tip;
    for (int run = 0; run < 3; run++) {
        MultibodySystem sys;
        SimbodyMatterSubsystem matter(sys);
        GeneralForceSubsystem forces(sys);
        Force::UniformGravity(forces, matter, Vec3(0, -9.81, 0));
        const Vec3 c(l / 2, 0, 0);
        Body::Rigid link(MassProperties(mass, c, Inertia(J / 2 + 1e-9, J / 2 + 1e-9, J).shiftFromMassCenter(c, mass)));
        std::vector<MobilizedBody> b;
        for (int i = 0; i < A.N; i++) {
            MobilizedBody &to = i ? b.back() : (MobilizedBody &)matter.updGround();
            b.push_back(MobilizedBody::Pin(to, Transform(Vec3(i ? l : 0, 0, 0)), link, Transform(Vec3(0))));
            if (i)
                Force::MobilityLinearSpring(forces, b.back(), MobilizerQIndex(0), rod_EI / l, 0);
        }
        State state = sys.realizeTopology();
        sys.realizeModel(state);
        std::unique_ptr<Integrator> in;
        if (!strcmp(A.method, "bdf"))
            in.reset(new CPodesIntegrator(sys, CPodes::BDF));
        else if (!strcmp(A.method, "adams"))
            in.reset(new CPodesIntegrator(sys, CPodes::Adams));
        else if (!strcmp(A.method, "rkf"))
            in.reset(new RungeKuttaFeldbergIntegrator(sys));
        else if (!strcmp(A.method, "verlet"))
            in.reset(new VerletIntegrator(sys));
        else
            in.reset(new RungeKuttaMersonIntegrator(sys));
        in->setAccuracy(A.tol);
        in->setFinalTime(1);
        const double start = cpu_now();
        in->initialize(state);
        while (in->getTime() < 1)
            in->stepTo(1);
        best = fmin(best, cpu_now() - start);
        sys.realize(in->getState(), Stage::Position);
        tip = b.back().findStationLocationInGround(in->getState(), Vec3(l, 0, 0));
        if (best > 20)
            break;
    }
    rod_print("Simbody", &A, best, tip[0], tip[1]);
    return 0;
}
