// SPDX-License-Identifier: Apache-2.0
// Cosine and sine of four angles at once, to one unit in the last place. An angle is n quarter
// turns and a remainder r + tail, |r| <= pi/4: n pi/2 is subtracted in three pieces; n times the
// first two, 33 bits each, is exact. The remainder goes into the Taylor polynomials of degree 13
// and 14 with coefficients of least maximal error (those of every C library since 1993).
#ifndef HOL_MATH_LANES_TURN_H
#define HOL_MATH_LANES_TURN_H

#include "math/simd.h"

#include <math.h>

HOL_INLINE void lanes_turn(HolLanes angle, HolLanes *cosine, HolLanes *sine) {
    typedef long Bits __attribute__((vector_size(32)));
    static const double LARGEST = 1e5; // beyond, n has too many digits
    const double rounder =
        0x1.8p52; // a number plus this is rounded to a whole one, in its last bits
    const HolLanes wide = angle * 0x1.45f306dc9c883p-1 + rounder, n = wide - rounder;
    const HolLanes first = angle - n * 0x1.921fb544p+0;
    const HolLanes second = n * 0x1.0b4611a6p-34, near = first - second;
    const HolLanes rest = n * 0x1.3198a2e037073p-69 - ((first - near) - second);
    const HolLanes r = near - rest, tail = (near - r) - rest;
    const HolLanes z = r * r, half = 0.5 * z, w = 1 - half;
    const HolLanes s =
        0x1.111111110f8a6p-7 + z * (-0x1.a01a019c161d5p-13 +
                                    z * (0x1.71de357b1fe7dp-19 +
                                         z * (-0x1.ae5e68a2b9cebp-26 + z * 0x1.5d93a5acfd57cp-33)));
    const HolLanes c =
        z * (0x1.555555555554cp-5 +
             z * (-0x1.6c16c16c15177p-10 +
                  z * (0x1.a01a019cb159p-16 +
                       z * (-0x1.27e4f809c52adp-22 +
                            z * (0x1.1ee9ebdb4b1c4p-29 + z * -0x1.8fae9be8838d4p-37)))));
    const HolLanes cube = z * r;
    const HolLanes sin_r = r - ((z * (0.5 * tail - cube * s) - tail) + cube * 0x1.5555555555549p-3);
    const HolLanes cos_r = w + (((1 - w) - half) + (z * c - r * tail));
    // n = 0: c, s;  1: -s, c;  2: -c, -s;  3: s, -c
    const Bits quarter = (Bits)wide, odd = -(quarter & 1), sign_s = (quarter & 2) << 62,
               sign_c = ((quarter + 1) & 2) << 62;
    *cosine = (HolLanes)((((Bits)sin_r & odd) | ((Bits)cos_r & ~odd)) ^ sign_c);
    *sine = (HolLanes)((((Bits)cos_r & odd) | ((Bits)sin_r & ~odd)) ^ sign_s);
    for (int l = 0; l < HOL_LANES; l++)
        if (!(fabs(angle[l]) <= LARGEST)) {
            (*cosine)[l] = cos(angle[l]);
            (*sine)[l] = sin(angle[l]);
        }
}

#endif
