// SPDX-License-Identifier: Apache-2.0
// The index-3 paper's pendulum and stiff double pendulum: exact motion (closed form, Radau IIA in
// multiprecision) and fixed steps of newmark, hht and tangent as an independent program with 30
// digits found them.
#include "paper_check.h"
#include "tools/papers/paper001.h"

// closed form: the angle theta at t, and its speed
static void pendulum_motion(void **state) {
    (void)state;
    static const double exact[4][2] = {{-1.022438477873728, -0.6462523698586111},
                                       {0.9488989775042391, 1.272865564741389},
                                       {-0.8289406495094106, -1.856446197063129},
                                       {0.6669343041068009, 2.367669828251380}};
    for (int i = 0; i < 4; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "method=taylor tolerance=1e-13 end=%d", i + 1);
        const HolPaperRun r = run_model(PENDULUM, settings);
        const double angle = atan2(r.q[0], -r.q[1]);
        const double speed = r.v[0] * cos(angle) + r.v[1] * sin(angle);
        close_to(angle, exact[i][0], 2e-13);
        close_to(speed, exact[i][1], 2e-12);
    }
    static const Case end = {PENDULUM,
                             "method=taylor tolerance=1e-13 end=4",
                             {{'q', 0, 0.6185801137750821, 2e-13},
                              {'q', 1, -0.7857217337213006, 2e-13},
                              {'v', 0, 1.860329642333288, 2e-12},
                              {'v', 1, 1.464593471741568, 2e-12},
                              {'l', 0, 6.6568953117089, 1e-11}}};
    check_cases(&end, 1);
}

// trapezoidal: round-off is amplified, velocities to 8 digits
static void pendulum_steps(void **state) {
    (void)state;
#define NEWMARK(gamma, iterations, step)                                                           \
    "method=newmark .gamma=" gamma " .newton_iterations=" iterations " step=" step " end=4"
    static const Case cases[] = {
        {PENDULUM,
         NEWMARK("0.5", "1", "0.0625"),
         {{'q', 0, .6912653718863, 1e-11},
          {'q', 1, -.7597139949515, 1e-11},
          {'v', 0, 2.043907397296, 2e-8},
          {'v', 1, 2.187903795742, 2e-8}}},
        {PENDULUM,
         NEWMARK("0.5", "1", "0.015625"),
         {{'q', 0, .6150516218197, 1e-11},
          {'q', 1, -.7884895141784, 1e-11},
          {'v', 0, 1.871294291804, 2e-8},
          {'v', 1, 1.464573077009, 2e-8}}},
        {PENDULUM,
         NEWMARK("0.5", "0", "0.015625"),
         {{'q', 0, .6150230373105, 1e-10},
          {'q', 1, -.7885091398185, 1e-10},
          {'v', 0, 1.870603615710, 2e-8},
          {'v', 1, 1.464419655867, 2e-8}}},
        {PENDULUM,
         NEWMARK("0.5", "1", "0.0009765625"),
         {{'q', 0, .6185662675838, 1e-10},
          {'q', 1, -.7857326343022, 1e-10},
          {'v', 0, 1.860386887501, 2e-7},
          {'v', 1, 1.464589861688, 2e-7}}},
        {PENDULUM,
         NEWMARK("0.75", "1", "0.0625"),
         {{'q', 0, .4886488289084, 1e-12},
          {'q', 1, -.8724838654001, 1e-12},
          {'v', 0, 1.102210481558, 1e-11},
          {'v', 1, .6258026653085, 1e-11}}},
        {PENDULUM,
         NEWMARK("0.75", "1", "0.015625"),
         {{'q', 0, .6006794197674, 1e-12},
          {'q', 1, -.7994899865746, 1e-12},
          {'v', 0, 1.552801368319, 1e-11},
          {'v', 1, 1.167716577306, 1e-11}}},
        {PENDULUM,
         NEWMARK("0.75", "0", "0.015625"),
         {{'q', 0, .6006851392032, 1e-12},
          {'q', 1, -.7994856868890, 1e-12},
          {'v', 0, 1.552776384804, 1e-11},
          {'v', 1, 1.167715186834, 1e-11}}},
        {PENDULUM,
         "method=hht .alpha=-0.3 step=0.015625 end=4",
         {{'q', 0, .6132567244027, 1e-12},
          {'q', 1, -.7898836559740, 1e-12},
          {'v', 0, 1.8817843755049, 1e-10},
          {'v', 1, 1.4623979733600, 1e-10}}},
    };
#undef NEWMARK
    CHECK_CASES(cases);
}

static void double_pendulum_start(void **state) {
    (void)state;
    const HolPaperRun r = at_start(DOUBLE, "");
    static const Value start[] = {{'a', 2, 189867.399228893, 1e-8},
                                  {'a', 5, -651691.655307542, 1e-8},
                                  {'l', 0, 75945.0620297736, 1e-8},
                                  {'l', 1, 400298.046793661, 1e-8},
                                  {'l', 2, 75945.0620297738, 1e-8},
                                  {'l', 3, 169333.580893017, 1e-8},
                                  {0}};
    check("start of the double pendulum", &r, start);
}

// Radau IIA in multiprecision
static void double_pendulum_motion(void **state) {
    (void)state;
#define TIGHT "method=tangent tolerance=1e-12 end="
    static const Case cases[] = {
        {DOUBLE,
         TIGHT "0.001",
         {{'q', 2, 6.285024841326, 1e-11},
          {'q', 5, 6.024878583902, 1e-11},
          {'v', 2, 1.815123668096, 1e-10},
          {'v', 5, 3.379175350757, 1e-10}}},
        {DOUBLE,
         TIGHT "0.1",
         {{'q', 2, 6.067066513032, 1e-9},
          {'q', 5, 5.92364243966, 1e-9},
          {'v', 2, -5.792112369181, 1e-8},
          {'v', 5, -4.929275385399, 1e-8}}},
        {DOUBLE,
         TIGHT "0.5",
         {{'q', 2, 3.73637547838939, 1e-9},
          {'q', 5, 3.72315477561312, 1e-9},
          {'v', 2, 2.52577555287116, 1e-8},
          {'v', 5, 2.60342309119860, 1e-8}}},
        {DOUBLE,
         TIGHT "1",
         {{'q', 2, 5.16143979933028, 1e-9},
          {'q', 5, 5.16092418497340, 1e-9},
          {'v', 2, -3.60680313474802, 1e-8},
          {'v', 5, -3.60309674861560, 1e-8}}},
        {DOUBLE,
         TIGHT "2",
         {{'q', 2, 4.64047818322133, 1e-9},
          {'q', 5, 4.64049670168853, 1e-9},
          {'v', 2, -1.62989245408377, 1e-8},
          {'v', 5, -1.63025271538026, 1e-8}}},
        {DOUBLE,
         TIGHT "10",
         {{'q', 2, 4.712366288475, 1e-9},
          {'q', 5, 4.712366268291, 1e-9},
          {'v', 2, 9.003069760464e-04, 1e-8},
          {'v', 5, 9.004461416481e-04, 1e-8}}},
    };
#undef TIGHT
    CHECK_CASES(cases);
}

static void double_pendulum_steps(void **state) {
    (void)state;
    static const Case cases[] = {
        {DOUBLE,
         "method=newmark .gamma=0.75 .newton_iterations=3 step=0.001953125 end=2",
         {{'q', 2, 4.660342068561, 1e-9},
          {'q', 5, 4.660364409161, 1e-9},
          {'v', 2, -1.656806201627, 1e-9},
          {'v', 5, -1.657153184850, 1e-9}}},
        {DOUBLE,
         "method=newmark .gamma=0.75 step=0.001953125 end=2",
         {{'q', 2, 4.648190383647, 1e-9},
          {'q', 5, 4.648209664595, 1e-9},
          {'v', 2, -1.587799764694, 1e-9},
          {'v', 5, -1.588146949825, 1e-9}}},
        {DOUBLE,
         "method=newmark .gamma=0.75 .newton_iterations=3 step=0.0009765625 end=2",
         {{'q', 2, 4.643699405519, 1e-9},
          {'q', 5, 4.643718089806, 1e-9},
          {'v', 2, -1.606343901772, 1e-9},
          {'v', 5, -1.606697377443, 1e-9}}},
        {DOUBLE,
         "method=newmark .gamma=0.75 step=0.00048828125 end=2",
         {{'q', 2, 4.641977483852, 1e-9},
          {'q', 5, 4.641996043298, 1e-9},
          {'v', 2, -1.617759239695, 1e-8},
          {'v', 5, -1.618116045248, 1e-8}}},
        {DOUBLE,
         "method=hht .alpha=-0.3 step=0.0009765625 end=2",
         {{'q', 2, 4.6412444333501, 1e-10},
          {'q', 5, 4.6412632126907, 1e-10},
          {'v', 2, -1.6319427161340, 1e-8},
          {'v', 5, -1.6323032152214, 1e-8}}},
        {DOUBLE,
         FOX_GOODWIN " step=5e-4 end=5e-4",
         {{'q', 2, 6.298855485168, 1e-11},
          {'q', 5, 5.971359731086, 1e-11},
          {'v', 2, 2.531123895804, 2e-8},
          {'v', 5, -3.206790370379, 2e-8}}},
        {DOUBLE,
         FOX_GOODWIN " step=5e-4 end=1",
         {{'q', 2, 4.866514461038, 1e-9}, {'q', 5, 4.865887409683, 1e-9}}},
        {DOUBLE,
         TRAPEZOIDAL " step=5e-4 end=5e-4",
         {{'q', 2, 6.284097032691, 1e-11},
          {'q', 5, 6.023245715218, 1e-11},
          {'v', 2, 3.649215494134, 2e-8},
          {'v', 5, -2.562475568191, 2e-8}}},
        {DOUBLE,
         TRAPEZOIDAL " step=5e-4 end=1",
         {{'q', 2, 5.163517295389, 1e-9}, {'q', 5, 5.163001875039, 1e-9}}},
    };
    CHECK_CASES(cases);
}

// distances from the exact state at the end
static void error_norms(void **state) {
    (void)state;
    static const struct {
        const char *method;
        int is_double, power, iterations;
        double dq, dv, accuracy; // of dv; the trapezoidal rule amplifies round-off
    } rows[] = {
        {"newmark .gamma=0.5", 0, 4, 1, 7.71981167038e-2, 7.46243001256e-1, 2e-8},
        {"newmark .gamma=0.5", 0, 6, 1, 4.48451381284e-3, 1.09646684378e-2, 2e-8},
        {"newmark .gamma=0.5", 0, 6, 0, 4.51911780390e-3, 1.02754435872e-2, 2e-8},
        {"newmark .gamma=0.5", 0, 10, 1, 1.76221359314e-5, 5.73588848683e-5, 2e-7},
        {"newmark .gamma=0.75", 0, 4, 1, 1.56236379504e-1, 1.13062579083, 1e-10},
        {"newmark .gamma=0.75", 0, 6, 1, 2.25831714467e-2, 4.27445352961e-1, 1e-10},
        {"newmark .gamma=0.75", 0, 6, 0, 2.25760165160e-2, 4.27464293557e-1, 1e-10},
        {"newmark .gamma=0.75", 1, 9, 3, 7.75759609518e-2, 1.58604791955e-1, 1e-8},
        {"newmark .gamma=0.75", 1, 9, 0, 3.01182609069e-2, 1.70473211045e-1, 1e-8},
        {"newmark .gamma=0.75", 1, 10, 3, 1.25795358657e-2, 9.39042241264e-2, 1e-8},
        {"newmark .gamma=0.75", 1, 11, 0, 5.85502123941e-3, 4.82080715546e-2, 1e-7},
        {"hht .alpha=-0.3", 0, 6, 0, 6.7572236346e-3, 2.1566775109e-2, 1e-9},
        {"hht .alpha=-0.3", 1, 10, 0, 2.9927198718e-3, 9.2044198850e-3, 1e-7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char settings[120];
        snprintf(settings, sizeof settings, "method=%s .newton_iterations=%d step=%.17g end=%d",
                 rows[i].method, rows[i].iterations, ldexp(1, -rows[i].power),
                 rows[i].is_double ? 2 : 4);
        const HolIndex3Errors e = hol_index3_errors(
            rows[i].is_double, run_model(rows[i].is_double ? DOUBLE : PENDULUM, settings));
        close_to(e.q, rows[i].dq, rows[i].is_double ? 1e-8 : 1e-10);
        close_to(e.v, rows[i].dv, rows[i].accuracy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_motion),       cmocka_unit_test(pendulum_steps),
        cmocka_unit_test(double_pendulum_start), cmocka_unit_test(double_pendulum_motion),
        cmocka_unit_test(double_pendulum_steps), cmocka_unit_test(error_norms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
