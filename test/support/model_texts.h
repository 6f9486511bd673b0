// SPDX-License-Identifier: Apache-2.0
// Small models as text: motions and expression constraints, and algebraic variables that need the
// accelerations and reactions.
#ifndef TEST_MODEL_TEXTS_H
#define TEST_MODEL_TEXTS_H

#define PLANE "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {k: 3, L: 0.7}\n"
#define SPACE "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nparameters: {k: 3, L: 0.7}\n"
#define PLANE_BODIES                                                                               \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 2, inertia: 0.3, position: [0.4, 0.1], angle: 0.3, points: {P: [0.2, "    \
    "0.1]}}\n"                                                                                     \
    "  - {name: b, mass: 1, inertia: 0.2, position: [1.1, -0.3], angle: -0.8, points: {P: [-0.3, " \
    "0.2]}}\n"                                                                                     \
    "  - {name: c, type: point, mass: 0.5, position: [0.2, 0.9]}\n"                                \
    "  - {name: s, type: coordinate, mass: 1.5, position: 0.3}\n"
#define SPACE_BODIES                                                                               \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.5, 0.02, 0.03, -0.04], position: [0.4, 0.1, "    \
    "0.2],\n"                                                                                      \
    "     orientation: {axis: [1, 2, 3], angle: 0.7}, points: {P: [0.2, 0.1, -0.3]}}\n"            \
    "  - {name: b, mass: 1, inertia: [0.2, 0.3, 0.25], position: [1.1, -0.3, 0.5],\n"              \
    "     orientation: {axis: [-1, 1, 0.5], angle: 1.1}, points: {P: [-0.3, 0.2, 0.1]}}\n"         \
    "  - {name: c, type: point, mass: 0.5, position: [0.2, 0.9, -0.4]}\n"                          \
    "  - {name: s, type: coordinate, mass: 1.5, position: 0.3}\n"

static const char *const constraint_texts[] = {
    PLANE PLANE_BODIES
    "joints: [{name: O, type: revolute, between: [ground, a.P]}]\n"
    "motions: [{name: drive, joint: O, value: \"0.3*sin(2*time) + 0.1*time^2\"}]\n",
    PLANE PLANE_BODIES
    "joints: [{name: S, type: prismatic, between: [{body: a, axis: [1, 0]}, {body: b, at: [0.1, "
    "0.2]}]}]\n"
    "motions: [{name: drive, joint: S, value: \"L + 0.2*cos(3*time) + 0.1*c.x*s\"}]\n",
    PLANE PLANE_BODIES
    "constraints:\n"
    "  - {name: one, equation: \"c.x^2 + c.y^2 - L^2\"}\n"
    "  - {name: two, equation: \"a.P.x*b.P.y - a.y*s^2 + sin(b.angle - a.angle)*c.x - 0.1\"}\n"
    "  - {name: three, equation: \"(a.x - b.x)^2 + (a.P.y - b.P.y)^2*exp(-s) - (1 + "
    "0.1*sin(time))^2\"}\n",
    PLANE PLANE_BODIES
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground, a.P]}\n"
    "  - {name: Q, type: revolute, between: [a, b.P]}\n"
    "constraints: [{name: gear, equation: \"O.angle + 0.5*Q.angle^2 - 0.2*time*s\"}]\n",
    SPACE SPACE_BODIES
    "joints: [{name: O, type: revolute, between: [{body: ground, axis: [1, 0.5, 2]}, a.P]}]\n"
    "motions: [{name: drive, joint: O, value: \"0.3*sin(2*time) + 0.1*time^2\"}]\n",
    SPACE SPACE_BODIES
    "joints: [{name: S, type: cylindrical, between: [{body: a, axis: [0, 1, 1]}, b.P]}]\n"
    "motions: [{name: drive, joint: S, value: \"0.2*cos(3*time) + 0.1*c.x*c.z + "
    "0.1*S.displacement^2\"}]\n",
    SPACE SPACE_BODIES
    "constraints:\n"
    "  - {name: one, equation: \"c.x^2 + c.y^2 + c.z^2 - L^2\"}\n"
    "  - {name: two, equation: \"a.P.x*b.P.y - a.z*s^2 + b.qw*a.qy - b.qx*c.x - 0.1\"}\n"
    "  - {name: three, equation: \"(a.x - b.x)^2 + (a.P.z - b.P.y)^2*exp(-s) - (1 + "
    "0.1*sin(time))^2\"}\n",
    PLANE PLANE_BODIES
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground, a.P]}\n"
    "motions: [{name: drive, joint: O, speed: \"0.3*sin(2*time) + 0.1*c.x*O.angle\"}]\n"
    "constraints:\n"
    "  - {name: edge, velocity: \"b.vx*sin(b.angle) - b.vy*cos(b.angle)\"}\n"
    "  - {name: mixed, velocity: \"(c.vx - s.v*a.P.x)*exp(-s)/2 + a.P.vy*time + "
    "sin(b.P.x)*b.omega + "
    "0.2*cos(3*time)*c.y\"}\n",
    SPACE SPACE_BODIES
    "joints:\n"
    "  - {name: O, type: revolute, between: [{body: ground, axis: [1, 0.5, 2]}, a.P]}\n"
    "motions: [{name: drive, joint: O, speed: \"0.3*sin(2*time) + 0.1*c.x*O.angle\"}]\n"
    "constraints:\n"
    "  - {name: edge, velocity: \"b.vx*b.qw - b.vy*b.qx + b.omega_z*c.y\"}\n"
    "  - {name: mixed, velocity: \"(c.vx - s.v*a.P.x)*exp(-s)/2 + a.P.vz*time + b.wx*sin(b.P.x) + "
    "0.2*cos(3*time)*c.y\"}\n",
};
enum { N_CONSTRAINT_TEXTS = sizeof constraint_texts / sizeof *constraint_texts };

#define SLIDER                                                                                     \
    "holonom: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {mu: 0.2}\n"                      \
    "bodies:\n"                                                                                    \
    "  - {name: crank, mass: 1, inertia: 0.1, position: [0.5, 0.2], angle: 0.4, points: {P: "      \
    "[-0.5, 0]}}\n"                                                                                \
    "  - {name: block, mass: 2, inertia: 0.2, position: [1.3, 0.1], angle: 0.1}\n"                 \
    "joints:\n"                                                                                    \
    "  - {name: O, type: revolute, between: [ground, crank.P]}\n"                                  \
    "  - {name: rail, type: prismatic, between: [{body: ground, axis: [1, 0]}, block]}\n"

#define FLYER                                                                                      \
    "holonom: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"                                         \
    "bodies:\n"                                                                                    \
    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.3, 0.01, 0.02, 0.03], position: [0.5, 0.2, "     \
    "0.1],\n"                                                                                      \
    "     orientation: {axis: [1, 2, 3], angle: 0.7}, points: {P: [-0.5, 0, 0.1]}}\n"              \
    "  - {name: s, type: coordinate, mass: 1}\n"                                                   \
    "joints:\n"                                                                                    \
    "  - {name: O, type: universal, between: [{body: ground, axis: [0, 0, 1]}, {body: a, at: "     \
    "[-0.5, 0, 0.1], axis: [1, 0, 0]}]}\n"

static const char *const implicit_texts[] = {
    // friction of a slider by its normal force
    SLIDER "variables: [{name: N, value: \"sqrt(rail.fy^2 + 0.01)\"}]\n"
           "forces: [{type: force, on: block, value: [\"-mu*N*tanh(10*block.vx)\", 0]}]\n",
    // straight in the force, without a variable
    SLIDER "forces: [{type: force, on: block, value: [\"-mu*rail.fy*tanh(block.vx) + 0.1*O.fx\", "
           "\"0.05*O.fy\"]}]\n",
    // a circle of two, and one that depends on it
    SLIDER "variables:\n"
           "  - {name: u, value: \"0.3*sin(z) + block.x\"}\n"
           "  - {name: z, value: \"0.4*cos(u) + 0.1*crank.omega\"}\n"
           "  - {name: y, value: \"u*z + time\"}\n"
           "forces: [{type: torque, on: crank, value: \"y - z\"}]\n",
    // accelerations, the multiplier of a motion and of a constraint
    SLIDER "motions: [{name: drive, joint: O, value: \"0.4 + 0.3*time\"}]\n"
           "constraints: [{name: tie, equation: \"block.angle - 0.2*block.x*crank.angle\"}]\n"
           "variables: [{name: m, value: \"0.1*block.ax + 0.2*crank.alpha - "
           "0.05*drive.lambda*crank.x + 0.03*tie.lambda\"}]\n"
           "forces: [{type: force, on: block, value: [\"m^2/10\", m]}]\n",
    FLYER "variables:\n"
          "  - {name: r, value: \"0.1*O.fx*a.x + 0.02*O.fy^2/(1 + O.fz^2) - 0.03*a.ax + "
          "0.1*a.alpha_x*a.wz + 0.2*s.a\"}\n"
          "forces:\n"
          "  - {type: torque, on: a, value: [r, 0, \"0.1*r*a.wx\"]}\n"
          "  - {type: expression, on: s, value: \"-3*s + r - 0.1*s.v\"}\n",
};
enum { N_IMPLICIT_TEXTS = sizeof implicit_texts / sizeof *implicit_texts };

// beams: in the plane damped and curved, in space with a full section matrix; tied to other bodies
static const char *const beam_texts[] = {
    PLANE "bodies:\n"
          "  - {name: hub, mass: 2, inertia: 0.3, position: [0.1, 0.2], points: {P: [0.1, 0]}}\n"
          "  - {name: rod, type: beam, from: hub.P, to: [1.2, 0.5], elements: 3, natural: 0.4,\n"
          "     stiffness: {EA: 90, GA: 40, EI: 7}, mass_per_length: 1.3, rotary: 0.2,\n"
          "     damping: {time: 0.05, mass: 0.3}}\n"
          "joints: [{name: O, type: revolute, between: [ground, hub]}]\n"
          "forces: [{type: force, on: rod.end, value: [1, \"2*time\"]}]\n",
    PLANE "bodies:\n"
          "  - {name: rod, type: beam, curve: {arc: {radius: 0.8, angle: 1.5}}, elements: 2,\n"
          "     stiffness: {EA: 90, EI: 7}, mass_per_length: 1.3, rotary: 0.2}\n",
    SPACE "bodies:\n"
          "  - {name: rod, type: beam, from: [0.1, 0.2, 0.3], to: [1.2, 0.4, 0.1], elements: 2,\n"
          "     stiffness: {matrix: [[90, 1, 2, 0.5, 0.3, 0.2], [1, 40, 3, 0.2, 0.6, 0.1],\n"
          "       [2, 3, 30, 0.4, 0.5, 0.7], [0.5, 0.2, 0.4, 5, 0.3, 0.2],\n"
          "       [0.3, 0.6, 0.5, 0.3, 7, 0.6], [0.2, 0.1, 0.7, 0.2, 0.6, 11]]},\n"
          "     natural: [0.1, 0.2, -0.3], mass_per_length: 1.3, rotary: [0.5, 0.2, 0.4],\n"
          "     damping: {time: 0.05, mass: 0.3}}\n"
          "joints: [{name: O, type: spherical, between: [ground, rod.start]}]\n",
    SPACE
    "bodies:\n"
    "  - {name: rod, type: beam, from: [0, 0, 0], to: [0, 0, 1], elements: 2, up: [0, 1, 0],\n"
    "     section: {rectangle: [0.4, 0.3]}, shear: rigid, material: {E: 900, rho: 8}}\n",
    PLANE "bodies:\n"
          "  - {name: hub, mass: 2, inertia: 0.3, position: [0.1, 0.2], points: {P: [0.1, 0]}}\n"
          "  - {name: rod, type: beam, from: hub.P, to: [1.2, 0.5], elements: 3, natural: 0.4,\n"
          "     stiffness: {EA: 90, GA: 40, EI: 7}, mass_per_length: 1.3, rotary: 0.2,\n"
          "     mass: consistent, damping: {time: 0.05, mass: 0.3}}\n"
          "joints: [{name: O, type: revolute, between: [ground, hub]}]\n"
          "forces: [{type: load, on: rod, per_length: [1, \"2*time\"]}]\n",
    SPACE "bodies:\n"
          "  - {name: rod, type: beam, from: [0.1, 0.2, 0.3], to: [1.2, 0.4, 0.1], elements: 2,\n"
          "     stiffness: {EA: 90, GA: 40, GJ: 5, EIy: 7, EIz: 11}, natural: [0.1, 0.2, -0.3],\n"
          "     mass_per_length: 1.3, rotary: [0.5, 0.2, 0.4], mass: consistent,\n"
          "     damping: {mass: 0.3}}\n"
          "joints: [{name: O, type: spherical, between: [ground, rod.start]}]\n"
          "forces: [{type: load, on: rod, per_length: [1, \"2*time\", 3]}]\n",
};
enum { N_BEAM_TEXTS = sizeof beam_texts / sizeof *beam_texts };

#endif
