// SPDX-License-Identifier: Apache-2.0
// The reference of the model file, docs/format.md: the tables come from the field tables, the text
// between them is here.
#include "tools/kinds/kinds.h"

#include "base/text.h"
#include "model/fields.h"
#include "model/quantity.h"
#include "solve/sim.h"

#include <stdio.h>
#include <string.h>

void hol_put_cell(const HolPut *p, const char *text) {
    for (; *text; text++)
        hol_put(p, "%s%c", *text == '|' ? "\\" : "", *text);
}

static void put_range(const HolPut *p, const HolField *f) {
    char low[HOL_NUMBER_SIZE], high[HOL_NUMBER_SIZE];
    if (f->takes)
        hol_put(p, ", %s", f->takes);
    else if (f->range == HOL_RANGE_POSITIVE)
        hol_put(p, ", > 0");
    else if (f->range == HOL_RANGE_NOT_NEGATIVE)
        hol_put(p, ", >= 0");
    else if (f->range == HOL_RANGE_NOT_ZERO)
        hol_put(p, ", not 0");
    else if (f->range == HOL_RANGE_BETWEEN) {
        hol_text_print_number(f->low, low);
        hol_text_print_number(f->high, high);
        hol_put(p, ", %s to %s", low, high);
    }
}

static void put_row(const HolPut *p, const HolField *f, const char *owner) {
    char value[HOL_DESCRIBE_SIZE];
    hol_describe_value(f, value);
    hol_put(p, "| %s`%s` | ", owner, f->key);
    hol_put_cell(p, value);
    put_range(p, f);
    const char *fallback = f->fallback ? f->fallback : "";
    hol_put(p, " | %s | %s | ", f->required ? "required" : fallback, f->unit ? f->unit : "");
    hol_put_cell(p, f->help);
    if (f->spaces == HOL_IN_PLANE || f->spaces == HOL_IN_SPACE)
        hol_put(p, " (%s models)", hol_describe_spaces(f->spaces));
    hol_put(p, " |\n");
}

static void put_fields(const HolPut *p, const HolField *table) {
    hol_put(p, "| key | value | default | unit | meaning |\n|---|---|---|---|---|\n");
    for (const HolField *f = table; f->key; f++)
        put_row(p, f, "");
    hol_put(p, "\n");
}

// the options of each method; those that share a table together
static void put_options(const HolPut *p) {
    char names[HOL_DESCRIBE_SIZE];
    hol_put(p, "| method | key | value | default | unit | meaning |\n|---|---|---|---|---|---|\n");
    for (const HolField *f = hol_method_fields; f->key; f++)
        put_row(p, f, "all | ");
    for (const HolStepper *const *s = hol_steppers; *s; s++)
        if (hol_describe_family(s, "`", names))
            for (const HolField *f = (*s)->options; f->key; f++) {
                char owner[HOL_DESCRIBE_SIZE + 4];
                snprintf(owner, sizeof owner, "%s | ", names);
                put_row(p, f, owner);
            }
    hol_put(p, "\n");
}

static void kinds_markdown_put_kinds(const HolPut *p, const HolKind *const *list) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "| type | models | what | keys |\n|---|---|---|---|\n");
    for (; *list; list++) {
        const HolKind *k = *list;
        hol_describe_keys(k->fields, "`", keys);
        hol_put(p, "| `%s` | %s | ", k->name, hol_describe_spaces(k->spaces));
        hol_put_cell(p, k->help);
        hol_put(p, " | %s |\n", keys);
    }
    hol_put(p, "\n");
}

static void kinds_markdown_put_methods(const HolPut *p) {
    char keys[HOL_DESCRIBE_SIZE];
    hol_put(p, "| name | what | steps | parameters |\n|---|---|---|---|\n");
    for (const HolStepper *const *s = hol_steppers; *s; s++) {
        hol_describe_options((*s)->options, "`", keys);
        hol_put(p, "| `%s` | ", (*s)->name);
        hol_put_cell(p, (*s)->help);
        hol_put(p, " | %s | %s |\n", hol_step_modes(*s), keys);
    }
    hol_put(p, "\n");
}

// ---- text ---------------------------------------------------------------------------------

static const char head[] =
    "# The model file\n\n"
    "This page is written by `holonom kinds --markdown` from the tables that the reader uses; "
    "`holonom kinds --schema` writes\nthe same as a JSON schema (`docs/model.schema.json`) for "
    "editors. SI units, radians, right-handed frames.\n\n"
    "A model is one YAML file (JSON is YAML too), UTF-8, indented with spaces:\n\n"
    "```yaml\n"
    "# yaml-language-server: $schema=model.schema.json\n"
    "holonom: 1\n"
    "name: Driven pendulum\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {L: 1, T0: 0.1, w: 0.1}\n"
    "ground: {points: {O: [0, 0]}}\n"
    "bodies:\n"
    "  - name: rod\n"
    "    mass: 1\n"
    "    inertia: \"1/12*L^2\"\n"
    "    position: [0, \"-L/2\"]\n"
    "    points: {top: [0, \"L/2\"]}\n"
    "joints:\n"
    "  - {name: O, type: revolute, between: [ground.O, rod.top]}\n"
    "forces:\n"
    "  - {name: T, type: torque, on: rod, value: \"T0*sin(w*time)\"}\n"
    "simulation: {end: 10, step: 1e-3, output_step: 0.01}\n"
    "```\n\n"
    "Every problem of a file is reported in one go as `file:line:column: error: ...`.\n\n";

static const char numbers[] =
    "## Numbers, expressions and names\n\n"
    "- A **number** may be an expression of the parameters: `L/2`, `\"-L/2\"`, `1/12*L^2`. Put "
    "quotes "
    "around what YAML would\n  read otherwise (a text that starts with `*`, `-`, `[` or `{`, or "
    "that "
    "holds `: ` or ` #`).\n"
    "- An **expression** may also use time, coordinates, velocities and variables; it is evaluated "
    "during the run.\n  Its derivatives are exact.\n"
    "- A **name** is made of letters, digits and `_`, not starting with a digit. Reserved: `time`, "
    "`pi`, `ground`,\n  `energy`, `constraint`, `step`, `if`, `interp`.\n"
    "- **Parameters** are evaluated in the order written; one may use those above it. `--set L=2` "
    "replaces one first.\n"
    "- Anchors (`&a`), aliases (`*a`) and merge keys (`<<: *a`) work as usual.\n\n"
    "Operators: `+ - * / ^` (`^` binds tightest and to the right), `< <= > >= == !=`, `and or not` "
    "(`&& || !`).\n"
    "Functions: `sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt abs sign min max`, "
    "`if(c, a, b)`,\n`step(x, x0, y0, x1, y1)` (smooth step from y0 at x0 to y1 at x1), "
    "`interp(table, x)`. Constant: `pi`.\n\n";

static const char expressions[] =
    "A constraint may use coordinates and time only. An output may also be any column listed under "
    "Results.\n\n";

static const char places[] =
    "## Places\n\n"
    "Joints and forces attach to places: `body` (its centre of mass), `body.point`, `ground` (the "
    "origin), `ground.point`, or a map:\n\n";

static const char points[] =
    "### Points\n\n"
    "`points: {top: [0, 0.5]}`, or with a direction `points: {hinge: {at: [0, 0, 1], axis: [0, 1, "
    "0]}}`:\n\n";

static const char orientation[] =
    "### Orientation\n\n"
    "| form | meaning |\n|---|---|\n"
    "| `{quaternion: [w, x, y, z]}` | normalized when read |\n"
    "| `{axis: [x, y, z], angle: a}` | turn by `a` about the axis |\n"
    "| `{euler: zxz, angles: [a, b, c]}` | three turns about rotating axes, in the order written; "
    "any axes, no axis twice in a row |\n"
    "| `{matrix: [[..], [..], [..]]}` | rows of the rotation matrix from body to global axes |\n\n";

static const char tables[] =
    "## Tables\n\n"
    "Curves through points, used in expressions as `interp(cam, time)`:\n\n"
    "```yaml\n"
    "tables:\n"
    "  cam: {x: [0, 1, 2], y: [0, 0.5, 0], interpolation: monotone}\n"
    "  road: [[0, 0], [1, 0], [1.1, 0.05]]                        # pairs: monotone, held outside\n"
    "  gas: {file: gas.csv, x: angle, y: pressure, interpolation: linear, outside: periodic}\n"
    "```\n\n"
    "Points are corners of some derivative. Where the argument is a linear function of time alone, "
    "adaptive steps of every method\nend at them (`taylor`: fixed ones too); otherwise those of "
    "methods that look for kinks do (`tangent`, `taylor`, `radau`, `rk853`,\n`dae-alpha` and the "
    "index-3 methods). A run that leaves a table says so once, unless the table is periodic.\n\n";

static const char results[] =
    "## Results\n\n"
    "One row a time, the first column is `time`. Without `outputs:` the columns are\n\n";

static const char settings[] =
    "## Settings on the command line\n\n"
    "`--set key=value` changes the file before it is read; the value is YAML (`--set 'gravity=[0, "
    "0]'`). The key is\n\n"
    "- a parameter: `--set L=2`;\n"
    "- an option: `--set end=5`, `--set step=1e-3` (then the tolerance of the file is dropped, and "
    "the other way round),\n  `--set method=newmark`, `--set method.beta=0.25`; another method "
    "drops "
    "the parameters of the first;\n"
    "- `gravity` or `name`;\n"
    "- a key of a named body, joint, force, motion, constraint or variable: `--set rod.mass=2`.\n";

static const char bodies_text[] = "## Bodies\n\n`bodies:` is a list of maps.\n\n";
static const char joints_text[] =
    "## Joints\n\n`joints:` is a list of maps. The reaction of a joint is the force on the second "
    "body, and the torque on it about the\nplace of the first body, in global axes.\n\n"
    "### The zero of a joint's angle\n\n"
    "![The zero of a joint's angle](joint-zero.svg)\n\n"
    "In the plane and in space alike `JOINT.angle` is zero where the x directions of the two "
    "places "
    "coincide, and grows as the\nsecond body turns about the axis of the first (in the plane: "
    "counter-clockwise). x of a place is its key `x`, else the x axis of\nits body, made "
    "perpendicular to the axis; where the x axis of either body lies within 1 degree of the axis, "
    "both take y.\nWith `bodies:` a key `x` in global axes makes the angle zero as written. "
    "Torsion springs between two bodies count alike.\n`JOINT.displacement` is zero where the two "
    "places coincide, and grows along the axis of the first. Orientations in space\nhave no whole "
    "turns: the angle starts between -pi and pi, or next to the start value of its drive, and is "
    "then followed.\nGears and screws keep the positions they are written with. `run` remarks when "
    "the start value of a drive makes assembly\nturn or shift a body.\n\n"
    "### Kinds of joints\n\n";
static const char forces_text[] =
    "## Forces\n\n`forces:` is a list of maps. The law of a spring (`stiffness`, `damping`, "
    "`length`, "
    "`force`) may use its own `length` and\n`rate`, that of a torsion spring its own `angle` and "
    "`rate`; variables and other expressions name them `FORCE.length` ...\n\n"
    "A **bushing** acts along and about the axes of the first body. In space its turn is the "
    "rotation vector from the free\norientation to the present one: a turn about any one axis "
    "meets "
    "that axis' torque `-k (angle - free)`, up to 0.9 of a turn,\nwhere the run ends with an "
    "error. "
    "The free orientation is the initial one, or `angle`: a rotation vector in axes of the\nfirst "
    "body (in space constant). `matrix` and `damping_matrix` give all of it at once and couple "
    "translations and turns:\n\n"
    "```yaml\n"
    "forces:\n"
    "  - {type: bushing, between: [frame.mount, engine.foot], stiffness: [2e5, 2e5, 8e5], damping: "
    "400, rotational_stiffness: 300}\n"
    "  - type: bushing                     # plane: x, y, angle; space: x, y, z and the rotation "
    "vector, 6 x 6\n"
    "    between: [arm.eye, ground.pin]\n"
    "    matrix: [[2e5, 0, 1e3], [0, 3e5, 0], [1e3, 0, 50]]\n"
    "```\n\n";

void hol_kinds_markdown(const HolPut *p) {
    p->put(p->to, head, sizeof head - 1);
    hol_put(p, "## Keys of the file\n\n");
    put_fields(p, hol_file_fields);
    p->put(p->to, numbers, sizeof numbers - 1);
    hol_kinds_quantities(p, HOL_USE_EXPRESSION);
    p->put(p->to, expressions, sizeof expressions - 1);
    p->put(p->to, bodies_text, sizeof bodies_text - 1);
    kinds_markdown_put_kinds(p, hol_body_kinds);
    put_fields(p, hol_body_fields);
    p->put(p->to, points, sizeof points - 1);
    put_fields(p, hol_point_fields);
    p->put(p->to, orientation, sizeof orientation - 1);
    hol_put(p, "### Shape\n\n");
    put_fields(p, hol_shape_fields);
    p->put(p->to, places, sizeof places - 1);
    put_fields(p, hol_ref_fields);
    p->put(p->to, joints_text, sizeof joints_text - 1);
    kinds_markdown_put_kinds(p, hol_joint_kinds);
    put_fields(p, hol_joint_fields);
    p->put(p->to, forces_text, sizeof forces_text - 1);
    kinds_markdown_put_kinds(p, hol_force_kinds);
    put_fields(p, hol_force_fields);
    hol_put(p, "## Motions\n\n");
    put_fields(p, hol_motion_fields);
    hol_put(p, "## Constraints\n\n");
    put_fields(p, hol_constraint_fields);
    hol_put(p, "## Variables\n\n");
    put_fields(p, hol_variable_fields);
    p->put(p->to, tables, sizeof tables - 1);
    put_fields(p, hol_table_fields);
    hol_put(p, "## Simulation\n\n");
    put_fields(p, hol_simulation_fields);
    hol_put(
        p,
        "### Error\n\n`error:` of `simulation:`; accuracy.md says what is compared with what.\n\n");
    put_fields(p, hol_error_fields);
    hol_put(p, "### Methods\n\n");
    kinds_markdown_put_methods(p);
    hol_put(p, "### Parameters of methods\n\n");
    put_options(p);
    p->put(p->to, results, sizeof results - 1);
    hol_kinds_quantities(p, HOL_USE_COLUMN);
    p->put(p->to, settings, sizeof settings - 1);
}
