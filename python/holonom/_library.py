# SPDX-License-Identifier: Apache-2.0
"""The C library by ctypes: where it is, its structs and functions, its errors.

A call of the library releases the interpreter lock. Structs that may grow begin with their size, so that
this file serves newer libraries too (include/holonom/error.h).
"""
from __future__ import annotations

import ctypes as C
import json
import os
from pathlib import Path
from typing import Any

OK, INTERRUPTED, EVENT, INACCURATE = 0, 1, 2, 3
AT_STEP, AT_ROW = 0, 1


class Error(Exception):
    """What the library refuses or cannot do.

    ``status`` is the number and ``status_text`` the meaning that include/holonom/error.h gives it;
    ``line`` and ``column`` say where in a model file (0: nowhere), ``time`` when in a run.
    """

    def __init__(self, text: str, status: int = -1, line: int = 0, column: int = 0, time: float = 0.0):
        super().__init__(text)
        self.status = status
        self.line = line
        self.column = column
        self.time = time

    @property
    def status_text(self) -> str:
        return library.hol_status_text(self.status).decode()

    def __reduce__(self):
        return (Error, (str(self), self.status, self.line, self.column, self.time))


class CError(C.Structure):
    _fields_ = [("status", C.c_int), ("problems", C.c_int), ("line", C.c_int), ("column", C.c_int),
                ("time", C.c_double), ("text", C.c_char * 8192)]

    def raised(self, status: int) -> Error:
        text = self.text.decode(errors="replace") or library.hol_status_text(status).decode()
        return Error(text, status, self.line, self.column, self.time)


class Handle(C.Structure):
    _fields_ = [("kind", C.c_int), ("index", C.c_int), ("part", C.c_int), ("body", C.c_int), ("at", C.c_double * 3)]


class Setting(C.Structure):
    _fields_ = [("key", C.c_char_p), ("value", C.c_char_p)]


class Column(C.Structure):
    _fields_ = [("name", C.c_char_p), ("unit", C.c_char_p)]


class View(C.Structure):
    _fields_ = [("t", C.c_double), ("h", C.c_double), ("nq", C.c_int), ("nv", C.c_int), ("m", C.c_int),
                ("nw", C.c_int)] + [(name, C.POINTER(C.c_double)) for name in ("q", "v", "a", "lambda_", "w")]


class Stats(C.Structure):
    _fields_ = ([("size", C.c_size_t)] +
                [(name, C.c_long) for name in
                 ("steps", "rejected", "newton_iterations", "jacobians", "factorizations",
                  "force_evaluations", "error_test_failures", "convergence_failures", "overruled")] +
                [(name, C.c_double) for name in
                 ("cpu_seconds", "wall_seconds", "energy_initial", "energy_final", "energy_max_drift", "work",
                  "residual_position", "residual_velocity", "residual_acceleration", "h_min", "h_max",
                  "h_last", "kkt_growth")] +
                [("regularized", C.c_long), ("note", C.c_char * 1024), ("warnings", C.c_char * 1024),
                 ("method", C.c_char * 32), ("choice", C.c_char * 512), ("friction_heat", C.c_double),
                 ("impact_loss", C.c_double), ("events", C.c_long)])

    def as_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for name, _ in self._fields_[1:]:
            value = getattr(self, name)
            out[name] = value.decode(errors="replace") if isinstance(value, bytes) else value
        return out


class Event(C.Structure):
    _fields_ = ([("time", C.c_double), ("name", C.c_char * 64), ("kind", C.c_char * 8)] +
                [(name, C.c_double) for name in
                 ("speed_before", "speed_after", "impulse_n", "impulse_t", "loss", "sensitivity")])

    def as_dict(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name, _ in self._fields_}
        out["name"], out["kind"] = (out[key].decode(errors="replace") for key in ("name", "kind"))
        return out


class Impulse(C.Structure):
    _fields_ = ([("size", C.c_size_t), ("time", C.c_double), ("event", C.c_char * 64), ("joint", C.c_char * 64)] +
                [(name, C.c_double) for name in ("fx", "fy", "fz", "tx", "ty", "tz", "effort")])

    def as_dict(self) -> dict[str, Any]:
        out = {name: getattr(self, name) for name, _ in self._fields_[1:]}
        out["event"], out["joint"] = (out[key].decode(errors="replace") for key in ("event", "joint"))
        return out


FunctionValue = C.CFUNCTYPE(C.c_double, C.c_void_p, C.POINTER(C.c_double))


class FunctionDef(C.Structure):
    _fields_ = [("size", C.c_size_t), ("name", C.c_char_p), ("arguments", C.c_int), ("value", FunctionValue),
                ("gradient", C.c_void_p), ("user", C.c_void_p)]


class Check(C.Structure):  # the beginning of HolCheck
    _fields_ = [("size", C.c_size_t)] + [(name, C.c_int) for name in (
        "bodies", "joints", "coordinates", "velocities", "constraints", "rank", "redundant", "dof")]


class Pattern(C.Structure):
    _fields_ = [("rows", C.c_int), ("cols", C.c_int), ("nnz", C.c_int), ("ptr", C.POINTER(C.c_int)),
                ("idx", C.POINTER(C.c_int))]


class Point(C.Structure):
    _fields_ = [("t", C.c_double)] + [(name, C.c_void_p) for name in ("q", "v", "a", "lambda_", "w")]


Problem_P = C.c_void_p
Mass = C.CFUNCTYPE(None, Problem_P, C.c_void_p, C.POINTER(Point), C.c_double, C.c_int, C.c_void_p)
Vector = C.CFUNCTYPE(None, Problem_P, C.c_void_p, C.POINTER(Point), C.c_void_p)


class Problem(C.Structure):
    _fields_ = ([("size", C.c_size_t), ("user", C.c_void_p)] +
                [(name, C.c_int) for name in ("nq", "nv", "nh", "nn", "nw")] +
                [("M", Pattern), ("S", Pattern), ("G", Pattern), ("constant_mass", C.c_int),
                 ("symmetric_mass", C.c_int), ("has_power", C.c_int), ("work_size", C.c_size_t),
                 ("work_init", C.c_void_p)] +
                [(name, C.c_void_p) for name in ("qdot", "qddot", "retract", "minus")] +
                [("mass", Mass), ("force", Vector), ("constraint", Vector), ("jacobian", Vector)] +
                [(name, C.c_void_p) for name in (
                    "velocity_rhs", "acceleration_rhs", "tangent", "velocity_jacobian", "variables",
                    "energy", "row_name", "coordinate_name", "extras")])


def _folder() -> Path:
    """Where the shared libraries are: beside this file, or where HOLONOM_LIBRARY says."""
    named = os.environ.get("HOLONOM_LIBRARY")
    here = Path(__file__).resolve().parent
    for folder in ([Path(named)] if named else []) + [here, here.parents[1] / "build"]:
        if (folder / "libholonom.so.1").exists():
            return folder
    raise ImportError("libholonom.so.1 is not beside the package; `make python` puts it there, "
                      "or HOLONOM_LIBRARY names its folder")


folder = _folder()
library = C.CDLL(str(folder / "libholonom.so.1"), mode=C.RTLD_GLOBAL)


def program() -> str:
    """The command `holonom` that belongs to the library."""
    for path in (folder / "bin" / "holonom", folder / "holonom"):
        if path.is_file():
            return str(path)
    return "holonom"


_E = C.POINTER(CError)
_DP = C.POINTER(C.c_double)
_FUNCTIONS = {
    "hol_version": (C.c_char_p, []),
    "hol_status_text": (C.c_char_p, [C.c_int]),
    "hol_function_def_sized": (None, [C.c_void_p, C.c_size_t]),
    "hol_model_load_with_sized": (C.c_int, [C.c_char_p, C.c_void_p, C.c_int, C.c_void_p, C.c_int, C.c_void_p,
                                            C.c_void_p, C.c_size_t, _E]),
    "hol_model_parse_with_sized": (C.c_int, [C.c_char_p, C.c_size_t, C.c_char_p, C.c_void_p, C.c_int, C.c_void_p,
                                             C.c_int, C.c_void_p, C.c_void_p, C.c_size_t, _E]),
    "hol_model_destroy": (None, [C.c_void_p]),
    "hol_model_name": (C.c_char_p, [C.c_void_p]),
    "hol_model_source": (C.c_char_p, [C.c_void_p]),
    "hol_model_body_count": (C.c_int, [C.c_void_p]),
    "hol_model_body_name": (C.c_char_p, [C.c_void_p, C.c_int]),
    "hol_model_joint_count": (C.c_int, [C.c_void_p]),
    "hol_model_joint_name": (C.c_char_p, [C.c_void_p, C.c_int]),
    "hol_model_parameter_count": (C.c_int, [C.c_void_p]),
    "hol_model_parameter_name": (C.c_char_p, [C.c_void_p, C.c_int]),
    "hol_model_parameter_value": (C.c_double, [C.c_void_p, C.c_int]),
    "hol_model_column_count": (C.c_int, [C.c_void_p]),
    "hol_model_column": (Column, [C.c_void_p, C.c_int]),
    "hol_sim_options_room": (C.c_size_t, []),
    "hol_sim_options_sized": (None, [C.c_void_p, C.c_size_t]),
    "hol_sim_options_parse": (C.c_int, [C.c_void_p, C.c_char_p, C.c_size_t, _E]),
    "hol_sim_options_end": (C.c_double, [C.c_void_p]),
    "hol_sim_create": (C.c_int, [C.c_void_p, C.c_void_p, C.c_void_p, _E]),
    "hol_sim_create_problem": (C.c_int, [C.c_void_p, _DP, _DP, C.c_void_p, C.c_void_p, _E]),
    "hol_sim_destroy": (None, [C.c_void_p]),
    "hol_sim_assemble": (C.c_int, [C.c_void_p, _E]),
    "hol_sim_step": (C.c_int, [C.c_void_p, C.c_double, _E]),
    "hol_sim_advance": (C.c_int, [C.c_void_p, C.c_double, _E]),
    "hol_sim_advance_some": (C.c_int, [C.c_void_p, C.c_double, C.c_double, _E]),
    "hol_sim_time": (C.c_double, [C.c_void_p]),
    "hol_sim_view_sized": (None, [C.c_void_p, C.c_void_p, C.c_size_t]),
    "hol_sim_stats_sized": (None, [C.c_void_p, C.c_void_p, C.c_size_t]),
    "hol_sim_check_sized": (C.c_int, [C.c_void_p, C.c_void_p, C.c_size_t, _E]),
    "hol_sim_interpolate": (C.c_int, [C.c_void_p, C.c_double, _DP, _DP, _DP, _DP, _DP]),
    "hol_sim_row": (C.c_int, [C.c_void_p, C.c_double, _DP, _E]),
    "hol_sim_stop_flag": (None, [C.c_void_p, C.c_void_p]),
    "hol_sim_set_parameter": (C.c_int, [C.c_void_p, C.c_char_p, C.c_double, _E]),
    "hol_sim_set_input": (C.c_int, [C.c_void_p, C.c_char_p, C.c_double, _E]),
    "hol_model_handle": (C.c_int, [C.c_void_p, C.c_char_p, C.c_void_p, _E]),
    "hol_sim_read": (C.c_double, [C.c_void_p, C.c_void_p]),
    "hol_sim_value": (C.c_int, [C.c_void_p, C.c_char_p, _DP, _E]),
    "hol_sim_save": (C.c_int, [C.c_void_p, C.c_void_p, C.c_size_t, C.POINTER(C.c_size_t), _E]),
    "hol_sim_restore": (C.c_int, [C.c_void_p, C.c_char_p, C.c_size_t, _E]),
    "hol_sim_copy": (C.c_int, [C.c_void_p, C.c_void_p, _E]),
    "hol_sim_set_state": (C.c_int, [C.c_void_p, C.c_double, _DP, _DP, _E]),
    "hol_recording_create": (C.c_int, [C.c_void_p, C.c_void_p, _E]),
    "hol_recording_run": (C.c_int, [C.c_void_p, C.c_double, C.c_double, C.POINTER(C.c_int), _E]),
    "hol_recording_rows": (C.c_long, [C.c_void_p]),
    "hol_recording_columns": (C.c_int, [C.c_void_p]),
    "hol_recording_data": (C.c_void_p, [C.c_void_p]),
    "hol_recording_event": (C.c_int, [C.c_void_p, C.c_long, C.POINTER(Event)]),
    "hol_recording_impulse_sized": (C.c_int, [C.c_void_p, C.c_long, C.POINTER(Impulse), C.c_size_t]),
    "hol_recording_write": (C.c_int, [C.c_void_p, C.c_char_p, C.c_int, C.c_char_p, _E]),
    "hol_recording_destroy": (None, [C.c_void_p]),
    "hol_problem_def_sized": (None, [C.c_void_p, C.c_size_t]),
    "hol_sim_joint_space": (C.c_int, [C.c_void_p, C.c_void_p, C.c_int, _DP, _DP, _E]),
    "hol_sim_jacobian": (C.c_int, [C.c_void_p, C.c_char_p, C.c_void_p, C.c_int, _DP, _E]),
    "hol_sim_inverse_dynamics": (C.c_int, [C.c_void_p, C.c_void_p, C.c_int, _DP, _DP, _DP, _DP, _E]),
    "hol_sim_pose": (C.c_int, [C.c_void_p, C.c_char_p, _DP, _DP, _E]),
    "hol_sim_reaction": (C.c_int, [C.c_void_p, C.c_char_p, _DP, _DP, _E]),
    "hol_sim_event": (C.c_int, [C.c_void_p, C.c_int, C.POINTER(Event)]),
    "hol_sim_impulse_sized": (C.c_int, [C.c_void_p, C.c_int, C.POINTER(Impulse), C.c_size_t]),
    "hol_model_input_count": (C.c_int, [C.c_void_p]),
    "hol_model_input_name": (C.c_char_p, [C.c_void_p, C.c_int]),
}
for _name, (_result, _arguments) in _FUNCTIONS.items():
    try:
        _function = getattr(library, _name)
    except AttributeError:  # an older library: calling it says so
        continue
    _function.restype = _result
    _function.argtypes = _arguments


def checked(status: int, error: CError, good: tuple[int, ...] = (OK,)) -> int:
    """The status of a call, or the exception it stands for."""
    if status in good:
        return status
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    raise error.raised(status)


def doubles(values: Any, count: int, what: str) -> Any:
    """A C array of so many finite numbers."""
    import numpy as np

    array = np.ascontiguousarray(values, dtype=float).reshape(-1)
    if array.size != count:
        raise Error(f"{what}: {count} numbers are needed, not {array.size}")
    return array


def pointer(array: Any) -> Any:
    return array.ctypes.data_as(_DP)


def option_text(options: dict[str, Any]) -> bytes:
    """Options as the map that stands under `simulation:`."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [plain(v) for v in value]
        if isinstance(value, (bool, str, int, float)) or value is None:
            return value
        return float(value)  # numpy's numbers

    return json.dumps({key: plain(value) for key, value in options.items() if value is not None}).encode()


def settings(parameters: dict[str, Any]) -> tuple[Any, int]:
    """Parameters as settings of the model file."""
    array = (Setting * max(1, len(parameters)))()
    for i, (key, value) in enumerate(parameters.items()):
        if isinstance(value, str):
            text = value
        elif isinstance(value, (list, dict, bool)):
            text = json.dumps(value)
        else:
            text = repr(float(value))
        array[i] = Setting(key.encode(), text.encode())
    return array, len(parameters)
