# SPDX-License-Identifier: Apache-2.0
"""Equations of one's own, in numpy, solved as `scipy.integrate.solve_ivp` solves ordinary ones."""
from __future__ import annotations

import ctypes as C
from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import numpy as np

from . import _library as L


@dataclass
class Solution:
    """Arrays as `solve_ivp` has them: times t (n_t), coordinates q (n, n_t), velocities v (n, n_t),
    multipliers lam (m, n_t)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    lam: np.ndarray
    success: bool
    status: int
    message: str
    stats: dict[str, Any] = field(repr=False)

    @property
    def nfev(self) -> int:
        """Evaluations of the forces."""
        return self.stats["force_evaluations"]


class _Equations:
    """The functions of a user as those of a HolProblem. An exception in one of them ends the run."""

    def __init__(self, mass: Any, force: Callable[..., Any], constraint: Any, jacobian: Any, t0: float,
                 q0: np.ndarray, v0: np.ndarray):
        self.failure: BaseException | None = None
        self.arrays: dict[tuple[int, int], np.ndarray] = {}  # of the run's memory, which stays where it is
        self.stop = C.c_int(0)
        self.n, self.user = q0.size, (mass, force, constraint, jacobian)
        first = np.atleast_1d(np.asarray(constraint(t0, q0.copy()), dtype=float)) if constraint else np.empty(0)
        self.m = first.size
        self._shape("mass", mass(t0, q0.copy()) if callable(mass) else mass, (self.n, self.n))
        self._shape("force", force(t0, q0.copy(), v0.copy()), (self.n,))
        if jacobian is not None:
            if not constraint:
                raise L.Error("jacobian: there is no constraint that it belongs to")
            self._shape("jacobian", jacobian(t0, q0.copy()), (self.m, self.n))
        self.constant = None if callable(mass) else np.asarray(mass, dtype=float).reshape(self.n, self.n)
        self.problem = L.Problem()
        L.library.hol_problem_def_sized(C.byref(self.problem), C.sizeof(self.problem))
        p = self.problem
        p.nq = p.nv = self.n
        p.nh = self.m
        p.constant_mass = int(self.constant is not None)
        p.mass, p.force = L.Mass(self._mass), L.Vector(self._force)
        if self.m:
            p.constraint = L.Vector(self._constraint)
            if jacobian is not None:
                p.jacobian = L.Vector(self._jacobian)

    def _shape(self, name: str, value: Any, shape: tuple[int, ...]) -> None:
        array = np.asarray(value, dtype=float)
        if array.size != int(np.prod(shape)):
            raise L.Error(f"{name}: an array of shape {shape} is needed, not {array.shape}")
        if not np.isfinite(array).all():
            raise L.Error(f"{name}: not all numbers are finite at the start")

    def _array(self, address: int, n: int) -> np.ndarray:
        array = self.arrays.get((address, n))
        if array is None:
            array = np.frombuffer((C.c_double * n).from_address(address), dtype=float)
            self.arrays[address, n] = array
        return array

    def _fail(self, failure: BaseException) -> None:
        self.failure = failure  # (it must not travel through C)
        self.stop.value = 1

    def _mass(self, p: Any, work: Any, at: Any, c: float, into_S: int, S: int) -> None:
        if self.failure:
            return
        try:
            M = self.constant
            if M is None:
                x = at[0]
                M = np.asarray(self.user[0](x.t, self._array(x.q, self.n)), dtype=float).reshape(self.n, self.n)
            out = self._array(S, self.n * self.n)
            out += c * M.T.reshape(-1)
        except BaseException as failure:
            self._fail(failure)

    def _force(self, p: Any, work: Any, at: Any, f: int) -> None:
        if self.failure:
            return
        try:
            x = at[0]
            self._array(f, self.n)[:] = self.user[1](x.t, self._array(x.q, self.n), self._array(x.v, self.n))
        except BaseException as failure:
            self._fail(failure)

    def _constraint(self, p: Any, work: Any, at: Any, g: int) -> None:
        if self.failure:
            return
        try:
            x = at[0]
            self._array(g, self.m)[:] = self.user[2](x.t, self._array(x.q, self.n))
        except BaseException as failure:
            self._fail(failure)

    def _jacobian(self, p: Any, work: Any, at: Any, G: int) -> None:
        if self.failure:
            return
        try:
            x = at[0]
            self._array(G, self.m * self.n)[:] = np.reshape(self.user[3](x.t, self._array(x.q, self.n)), -1)
        except BaseException as failure:
            self._fail(failure)


def solve(mass: Callable[[float, np.ndarray], Any] | Any, force: Callable[[float, np.ndarray, np.ndarray], Any],
          constraint: Callable[[float, np.ndarray], Any] | None, jacobian: Callable[[float, np.ndarray], Any] | None,
          t_span: Sequence[float], q0: Any, v0: Any, method: Any = "tangent", tol: float | None = 1e-8, *,
          step: float | None = None, t_eval: Any = None, **options: Any) -> Solution:
    """Integrates M(t,q) q'' + G(t,q)^T lam = f(t,q,q'), g(t,q) = 0 from q0, v0, which are put onto the
    constraints.

    mass(t, q) is n x n (or a constant array), force(t, q, v) has n numbers, constraint(t, q) m of them (None:
    there is none), jacobian(t, q) = dg/dq is m x n (None: by differences). Arrays are only lent to the
    functions. `tol` controls the error, `step` fixes the step instead. `t_eval`: times of the solution
    (default: every step). Other options: the keys of `simulation:`.

    An integration that fails gives what it has with ``success`` False. An exception raised in a function, or
    Ctrl-C, ends the run and is raised again.
    """
    t0, end = float(t_span[0]), float(t_span[1])
    q0 = np.array(q0, dtype=float).reshape(-1)
    v0 = L.doubles(v0, q0.size, "v0")
    if not (np.isfinite(q0).all() and np.isfinite(v0).all() and end > t0):
        raise L.Error("q0, v0 and t_span must be finite, and t_span must increase")
    wanted = None if t_eval is None else np.asarray(t_eval, dtype=float).reshape(-1)
    if wanted is not None and wanted.size and (np.any(np.diff(wanted) <= 0) or wanted[0] < t0 or wanted[-1] > end):
        raise L.Error("t_eval must increase and lie within t_span")
    given = dict(options, method=method, start=t0, end=end)
    given.update({"step": step} if step else {"tolerance": tol})
    equations = _Equations(mass, force, constraint, jacobian, t0, q0, v0)
    room = L.library.hol_sim_options_room()
    o, text, error, handle = C.create_string_buffer(room), L.option_text(given), L.CError(), C.c_void_p()
    L.library.hol_sim_options_sized(o, room)
    L.checked(L.library.hol_sim_options_parse(o, text, len(text), C.byref(error)), error)
    status = L.library.hol_sim_create_problem(C.byref(equations.problem), L.pointer(q0), L.pointer(v0), o,
                                              C.byref(handle), C.byref(error))
    try:
        if equations.failure:
            raise equations.failure
        L.checked(status, error)
        L.library.hol_sim_stop_flag(handle, C.byref(equations.stop))
        return _integrate(handle, equations, end, wanted, error)
    finally:
        L.library.hol_sim_destroy(handle)


def _integrate(handle: C.c_void_p, equations: _Equations, end: float, wanted: np.ndarray | None,
               error: L.CError) -> Solution:
    lib, n, m = L.library, equations.n, equations.m
    view, rows = L.View(), []
    next_wanted = 0

    def tell() -> None:
        nonlocal next_wanted
        lib.hol_sim_view_sized(handle, C.byref(view), C.sizeof(view))
        if wanted is None:
            rows.append((view.t, view.q[:n], view.v[:n], view.lambda_[:m]))
            return
        while next_wanted < wanted.size and wanted[next_wanted] <= view.t:
            q, v, lam = np.empty(n), np.empty(n), np.empty(max(1, m))
            lib.hol_sim_interpolate(handle, wanted[next_wanted], L.pointer(q), L.pointer(v), None, L.pointer(lam),
                                    None)
            rows.append((wanted[next_wanted], q, v, lam[:m]))
            next_wanted += 1

    status = lib.hol_sim_assemble(handle, C.byref(error))
    if not equations.failure:
        L.checked(status, error)
        tell()
    while not equations.failure and status == L.OK and view.t < end:
        status = lib.hol_sim_step(handle, end, C.byref(error))
        if status == L.OK and not equations.failure:
            tell()
    if equations.failure:
        raise equations.failure
    stats = L.Stats()
    lib.hol_sim_stats_sized(handle, C.byref(stats), C.sizeof(stats))
    message = error.text.decode(errors="replace") if status < 0 else "the end of the span was reached"

    def column(i: int, size: int) -> np.ndarray:
        return np.array([row[i] for row in rows], dtype=float).reshape(len(rows), size).T

    return Solution(np.array([row[0] for row in rows]), column(1, n), column(2, n), column(3, m), status >= 0, status,
                    message, stats.as_dict())
