# SPDX-License-Identifier: Apache-2.0
"""Models: loading, parameters, whole runs."""
from __future__ import annotations

import ctypes as C
import inspect
import os
from typing import Any, Callable, Mapping

from . import _library as L
from .result import Result
from .simulation import Simulation

_SLICE = 0.05  # [s] between two looks at Ctrl-C


class _Functions:
    """Functions in Python that expressions of a model call. An exception in one ends the run and is raised there."""

    def __init__(self, functions: Mapping[str, Callable[..., float]]):
        self.failure: BaseException | None = None
        self.count = len(functions)
        self.array = (L.FunctionDef * max(1, self.count))()
        for entry, (name, function) in zip(self.array, functions.items()):
            L.library.hol_function_def_sized(C.byref(entry), C.sizeof(entry))
            entry.name = name.encode()
            entry.arguments = len(inspect.signature(function).parameters)
            entry.value = L.FunctionValue(self._value(function, entry.arguments))

    def _value(self, function: Callable[..., float], n: int) -> Callable[[Any, Any], float]:
        def value(user: Any, x: Any) -> float:
            if self.failure is None:
                try:
                    return float(function(*x[:n]))
                except BaseException as failure:  # (it must not travel through C)
                    self.failure = failure
            return float("nan")

        return value

    def check(self) -> None:
        """Raises what a function raised."""
        if self.failure is not None:
            failure, self.failure = self.failure, None
            raise failure


class Model:
    """A compiled mechanism. It is only read from then on: any number of threads may run it at once."""

    def __init__(self, handle: int, options: Any, source: str | None, text: str, parameters: Mapping[str, Any],
                 functions: _Functions):
        self._functions = functions
        self._handle = handle
        self._options = options
        self.file = source
        self.source = text
        self._settings = dict(parameters)
        self._handles: dict[str, L.Handle] = {}
        self._places: dict[str, Any] = {}  # names looked up so far

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            L.library.hol_model_destroy(self._handle)
            self._handle = None

    @property
    def name(self) -> str:
        """Name of the mechanism."""
        return L.library.hol_model_name(self._handle).decode()

    @property
    def parameters(self) -> dict[str, float]:
        """Values of `parameters:`, as the model was compiled with them."""
        lib = L.library
        return {lib.hol_model_parameter_name(self._handle, i).decode(): lib.hol_model_parameter_value(self._handle, i)
                for i in range(lib.hol_model_parameter_count(self._handle))}

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, without the ground."""
        lib = L.library
        names = [lib.hol_model_body_name(self._handle, i).decode()
                 for i in range(lib.hol_model_body_count(self._handle))]
        return [name for name in names if name != "ground"]

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        lib = L.library
        return [lib.hol_model_joint_name(self._handle, i).decode()
                for i in range(lib.hol_model_joint_count(self._handle))]

    @property
    def inputs(self) -> list[str]:
        """Names of `inputs:`."""
        lib = L.library
        return [lib.hol_model_input_name(self._handle, i).decode()
                for i in range(lib.hol_model_input_count(self._handle))]

    @property
    def columns(self) -> list[str]:
        """Names of the columns that results have."""
        return [L.library.hol_model_column(self._handle, i).name.decode()
                for i in range(L.library.hol_model_column_count(self._handle))]

    @property
    def units(self) -> dict[str, str]:
        """Unit of each column."""
        out = {}
        for i in range(L.library.hol_model_column_count(self._handle)):
            column = L.library.hol_model_column(self._handle, i)
            out[column.name.decode()] = (column.unit or b"").decode()
        return out

    @property
    def dof(self) -> int:
        """Degrees of freedom at the start."""
        return self.check()["dof"]

    def check(self) -> dict[str, int]:
        """Bodies, coordinates, constraints, their rank, redundant ones and degrees of freedom."""
        simulation = self.simulation()
        error, check = L.CError(), L.Check()
        L.checked(L.library.hol_sim_check_sized(simulation._handle, C.byref(check), C.sizeof(check), C.byref(error)),
                  error)
        return {name: getattr(check, name) for name, _ in L.Check._fields_[1:]}

    def _place(self, name: str) -> Any:
        """Where a quantity is found; KeyError with the nearest name."""
        handle, error = L.Handle(), L.CError()
        if L.library.hol_model_handle(self._handle, name.encode(), C.byref(handle), C.byref(error)):
            raise KeyError(error.text.decode(errors="replace"))
        self._handles[name] = handle
        self._places[name] = C.byref(handle)
        return self._places[name]

    def _run_options(self, options: dict[str, Any]) -> Any:
        """The options of the model with others over them."""
        room = L.library.hol_sim_options_room()
        out = C.create_string_buffer(bytes(self._options), room)
        given = {key: value for key, value in options.items() if value is not None}
        if given:
            error, text = L.CError(), L.option_text(given)
            L.checked(L.library.hol_sim_options_parse(out, text, len(text), C.byref(error)), error)
        return out

    def simulation(self, *, inputs: Mapping[str, float] | None = None, **options: Any) -> Simulation:
        """A run that goes step by step. Options: the keys of `simulation:` (step, tolerance, method ..)."""
        simulation = Simulation(self, self._run_options(options))
        for name, value in (inputs or {}).items():
            simulation.set_input(name, value)
        return simulation

    def run(self, end: float | None = None, tolerance: float | None = None, method: Any = None, *,
            step: float | None = None, inputs: Mapping[str, float] | None = None, **options: Any) -> Result:
        """Runs to the end. Options: the keys of `simulation:`, those of the model where not given.

        An integration that fails gives a result up to there with ``success`` False; wrong options raise
        :class:`Error`. Ctrl-C raises KeyboardInterrupt.
        """
        chosen = self._run_options(dict(options, end=end, tolerance=tolerance, method=method, step=step))
        simulation = Simulation(self, chosen)
        for name, value in (inputs or {}).items():
            simulation.set_input(name, value)
        until = L.library.hol_sim_options_end(chosen)
        error, recording, done = L.CError(), C.c_void_p(), C.c_int(0)
        L.checked(L.library.hol_recording_create(simulation._handle, C.byref(recording), C.byref(error)), error)
        status = L.OK
        try:
            while status == L.OK and not done.value:
                status = L.library.hol_recording_run(recording, until, _SLICE, C.byref(done), C.byref(error))
        except BaseException:
            L.library.hol_recording_destroy(recording)
            raise
        if self._functions.failure is not None:
            L.library.hol_recording_destroy(recording)
            self._functions.check()
        message = error.text.decode(errors="replace") if status < 0 else ""
        return Result(self, simulation, recording, status, message, error.time if status < 0 else None)

    def __repr__(self) -> str:
        return f"<holonom.Model {self.name!r}: {len(self.bodies)} bodies, {len(self.joints)} joints>"


def _options() -> Any:
    room = L.library.hol_sim_options_room()
    options = C.create_string_buffer(room)
    L.library.hol_sim_options_sized(options, room)
    return options


def load(path: str | os.PathLike[str], *, functions: Mapping[str, Callable[..., float]] | None = None,
         **parameters: Any) -> Model:
    """Reads and compiles a model file. Keywords are its parameters, or any key that `--set` reaches:
    ``load("crank.yaml", L=2, **{"method.beta": 0.25})``. `functions` are called by name in expressions of forces;
    they must depend on their arguments alone."""
    error, handle, options = L.CError(), C.c_void_p(), _options()
    array, count = L.settings(parameters)
    given = _Functions(functions or {})
    status = L.library.hol_model_load_with_sized(os.fsencode(path), array, count, given.array, given.count,
                                                 C.byref(handle), options, len(options), C.byref(error))
    given.check()
    L.checked(status, error)
    text = L.library.hol_model_source(handle).decode(errors="replace")
    return Model(handle.value or 0, options, os.fspath(path), text, parameters, given)


def parse(text: str, *, file: str = "model", functions: Mapping[str, Callable[..., float]] | None = None,
          **parameters: Any) -> Model:
    """The same from a text; `file` is the name that messages give it."""
    error, handle, options = L.CError(), C.c_void_p(), _options()
    array, count = L.settings(parameters)
    data = text.encode()
    given = _Functions(functions or {})
    status = L.library.hol_model_parse_with_sized(data, len(data), file.encode(), array, count, given.array,
                                                  given.count, C.byref(handle), options, len(options), C.byref(error))
    given.check()
    L.checked(status, error)
    return Model(handle.value or 0, options, None, text, parameters, given)
