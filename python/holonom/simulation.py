# SPDX-License-Identifier: Apache-2.0
"""A run step by step: inputs, values by name, the state as bytes."""
from __future__ import annotations

import ctypes as C
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import _library as L

if TYPE_CHECKING:
    from .model import Model

_SLICE = 0.05  # [s] between two looks at Ctrl-C


class Simulation:
    """One run. It belongs to one thread at a time; runs of a model may go on in several at once."""

    def __init__(self, model: "Model", options: Any, handle: int | None = None):
        self.model = model
        self._options = options
        self._error = L.CError()
        self._value = C.c_double()
        self._names: dict[str, bytes] = {}
        if handle is None:
            out = C.c_void_p()
            L.checked(L.library.hol_sim_create(model._handle, options, C.byref(out), C.byref(self._error)),
                      self._error)
            handle = out.value
        self._handle = handle

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            L.library.hol_sim_destroy(self._handle)
            self._handle = None

    def _name(self, name: str) -> bytes:
        code = self._names.get(name)
        if code is None:
            code = self._names[name] = name.encode()
        return code

    @property
    def t(self) -> float:
        """Time of the present state [s]."""
        return L.library.hol_sim_time(self._handle)

    def advance(self, t: float) -> int:
        """Steps until the time t (absolute). Returns 0, or 2 where an event with `stop: true` ended it."""
        while True:
            status = L.library.hol_sim_advance_some(self._handle, t, _SLICE, self._error)
            if status:
                self.model._functions.check()
                return L.checked(status, self._error, (L.OK, L.EVENT))
            if L.library.hol_sim_time(self._handle) >= t - 1e-14 * max(1.0, abs(t)):
                return status

    def step(self, t: float = float("inf")) -> float:
        """One accepted step, not beyond t; the time reached."""
        status = L.library.hol_sim_step(self._handle, t, self._error)
        if status:
            self.model._functions.check()
        L.checked(status, self._error, (L.OK, L.EVENT))
        return self.t

    def set_input(self, name: str, value: float) -> None:
        """A value of `inputs:`, from now on."""
        try:
            status = L.library.hol_sim_set_input(self._handle, self._name(name), value, self._error)
        except (C.ArgumentError, AttributeError):
            raise L.Error(f"input {name!r}: a number is needed, not {value!r}") from None
        if status:
            raise self._error.raised(status)

    def set_parameter(self, name: str, value: float) -> None:
        """A parameter that the model lists under `tunable:` (or ``load(.., tunable=["k"])``), from now on."""
        try:
            status = L.library.hol_sim_set_parameter(self._handle, self._name(name), value, self._error)
        except (C.ArgumentError, AttributeError):
            raise L.Error(f"parameter {name!r}: a number is needed, not {value!r}") from None
        if status:
            raise self._error.raised(status)

    def __getitem__(self, name: str) -> float:
        """A quantity of the present state by name: a column of results, `rod.top.x`, `O.angle` .."""
        place = self.model._places.get(name)
        if place is None:
            place = self.model._place(name)
        value = L.library.hol_sim_read(self._handle, place)
        if value != value:  # no number: why?
            L.checked(L.library.hol_sim_value(self._handle, self._name(name), self._value, self._error), self._error)
        return value

    def _view(self) -> L.View:
        L.checked(L.library.hol_sim_assemble(self._handle, self._error), self._error)
        view = L.View()
        L.library.hol_sim_view_sized(self._handle, C.byref(view), C.sizeof(view))
        return view

    @property
    def q(self) -> np.ndarray:
        """Coordinates (a copy)."""
        view = self._view()
        return np.array(view.q[:view.nq])

    @property
    def v(self) -> np.ndarray:
        """Velocities (a copy)."""
        view = self._view()
        return np.array(view.v[:view.nv])

    def set_state(self, t: float, q: Any = None, v: Any = None) -> None:
        """Goes on from another time, coordinates and velocities, which are put onto the constraints."""
        view = self._view()
        q = None if q is None else L.doubles(q, view.nq, "q")
        v = None if v is None else L.doubles(v, view.nv, "v")
        L.checked(L.library.hol_sim_set_state(self._handle, t, None if q is None else L.pointer(q),
                                              None if v is None else L.pointer(v), self._error), self._error)

    @property
    def state(self) -> bytes:
        """The whole run as bytes: a run that takes them goes on to the last bit, also in another process."""
        size = C.c_size_t()
        L.checked(L.library.hol_sim_save(self._handle, None, 0, C.byref(size), self._error), self._error)
        room = C.create_string_buffer(size.value)
        L.checked(L.library.hol_sim_save(self._handle, room, size.value, C.byref(size), self._error), self._error)
        return room.raw

    @state.setter
    def state(self, saved: bytes) -> None:
        L.checked(L.library.hol_sim_restore(self._handle, bytes(saved), len(saved), self._error), self._error)

    def copy(self) -> "Simulation":
        """A second run that goes on as this one would."""
        out = C.c_void_p()
        L.checked(L.library.hol_sim_copy(self._handle, C.byref(out), self._error), self._error)
        return Simulation(self.model, self._options, out.value)

    def row(self, t: float | None = None) -> dict[str, float]:
        """All columns of results at the present time, or at t inside the last step."""
        columns = self.model.columns
        out = np.empty(len(columns))
        L.checked(L.library.hol_sim_row(self._handle, self.t if t is None else t, L.pointer(out), self._error),
                  self._error)
        return dict(zip(columns, out.tolist()))

    @property
    def stats(self) -> dict[str, Any]:
        """Steps, iterations, energies, residuals, times, remarks."""
        stats = L.Stats()
        L.library.hol_sim_stats_sized(self._handle, C.byref(stats), C.sizeof(stats))
        return stats.as_dict()

    # ---- mechanics ----

    def _joints(self, joints: Sequence[str] | None) -> tuple[list[str], Any]:
        names = list(self.model.joints if joints is None else joints)
        array = (C.c_char_p * max(1, len(names)))(*[name.encode() for name in names])
        return names, array

    def pose(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Position of the centre of mass (3) and orientation (3 x 3, body axes to global) of a body."""
        position, matrix = np.empty(3), np.empty(9)
        L.checked(L.library.hol_sim_pose(self._handle, self._name(body), L.pointer(position), L.pointer(matrix),
                                         self._error), self._error)
        return position, matrix.reshape(3, 3)

    def reaction(self, joint: str) -> tuple[np.ndarray, np.ndarray]:
        """Force (3) and torque (3) of a joint on its second body, global axes, at the joint."""
        force, torque = np.empty(3), np.empty(3)
        L.checked(L.library.hol_sim_reaction(self._handle, self._name(joint), L.pointer(force), L.pointer(torque),
                                             self._error), self._error)
        return force, torque

    @property
    def events(self) -> list[dict[str, Any]]:
        """Events of the last time at which there were some."""
        out: list[dict[str, Any]] = []
        event = L.Event()
        while L.library.hol_sim_event(self._handle, len(out), C.byref(event)):
            out.append(event.as_dict())
        return out

    @property
    def impulses(self) -> list[dict[str, Any]]:
        """Impulses of joints and drives at that time: those of an impact, or of velocities that an event reset."""
        out: list[dict[str, Any]] = []
        impulse = L.Impulse()
        while L.library.hol_sim_impulse_sized(self._handle, len(out), C.byref(impulse), C.sizeof(impulse)):
            out.append(impulse.as_dict())
        return out

    def joint_space(self, joints: Sequence[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Mass matrix M and bias h of the free coordinates x of joints: M x'' + h = drive forces."""
        names, array = self._joints(joints)
        n = len(names)
        M, h = np.empty((n, n)), np.empty(n)
        L.checked(L.library.hol_sim_joint_space(self._handle, array, n, L.pointer(M), L.pointer(h), self._error),
                  self._error)
        return M, h

    def jacobian(self, point: str, joints: Sequence[str] | None = None) -> np.ndarray:
        """6 x n: velocity and angular velocity of `body` or `body.point` by the rates of joints."""
        names, array = self._joints(joints)
        J = np.empty((6, len(names)))
        L.checked(L.library.hol_sim_jacobian(self._handle, self._name(point), array, len(names), L.pointer(J),
                                             self._error), self._error)
        return J

    def inverse_dynamics(self, position: Any, rate: Any, acceleration: Any,
                         joints: Sequence[str] | None = None) -> np.ndarray:
        """Drive forces of joints for given coordinates, rates and accelerations. The run stays as it is."""
        names, array = self._joints(joints)
        n = len(names)
        given = [L.doubles(x, n, what) for x, what in
                 ((position, "position"), (rate, "rate"), (acceleration, "acceleration"))]
        out = np.empty(n)
        L.checked(L.library.hol_sim_inverse_dynamics(self._handle, array, n, *[L.pointer(x) for x in given],
                                                     L.pointer(out), self._error), self._error)
        return out

    def __repr__(self) -> str:
        return f"<holonom.Simulation of {self.model.name!r} at t = {self.t:g} s>"
