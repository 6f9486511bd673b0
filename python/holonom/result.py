# SPDX-License-Identifier: Apache-2.0
"""Results: a mapping from names of columns to numpy arrays, without copies."""
from __future__ import annotations

import ctypes as C
import html
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator, Mapping

import numpy as np

from . import _library as L

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Simulation


class _Owner:
    """Keeps the memory of the rows while arrays of them live."""

    def __init__(self, recording: C.c_void_p, simulation: "Simulation"):
        self.handle = recording
        self.simulation = simulation  # (which the recording is of)

    def __del__(self) -> None:
        if self.handle:
            L.library.hol_recording_destroy(self.handle)
            self.handle = None


class Result(Mapping[str, np.ndarray]):
    """``r["rod.x"]`` is a column over ``r.t``; ``r.columns``, ``r.units`` name them."""

    def __init__(self, model: "Model", simulation: "Simulation", recording: C.c_void_p, status: int, message: str,
                 time: float | None):
        self.model = model
        self.status = status
        #: False: the integration failed; the rows up to there are here
        self.success = status >= 0
        #: why it failed, or a sentence of the run
        self.message = message
        #: time of the failure
        self.time = time
        self.stats: dict[str, Any] = simulation.stats
        self.columns: list[str] = model.columns
        self.units: dict[str, str] = model.units
        self._owner = _Owner(recording, simulation)
        rows, columns = L.library.hol_recording_rows(recording), L.library.hol_recording_columns(recording)
        if rows:
            buffer = (C.c_double * (rows * columns)).from_address(L.library.hol_recording_data(recording))
            buffer._owner = self._owner  # arrays refer to the buffer, the buffer to its memory
            #: rows x columns
            self.data: np.ndarray = np.frombuffer(buffer, dtype=float).reshape(rows, columns)
        else:
            self.data = np.empty((0, columns))
        self._index = {name: i for i, name in enumerate(self.columns)}
        #: what happened, a dict each: time, name, kind, speed_before, speed_after, impulse_n, impulse_t, loss, sensitivity
        self.events: list[dict[str, Any]] = []
        event = L.Event()
        while L.library.hol_recording_event(recording, len(self.events), C.byref(event)):
            self.events.append(event.as_dict())
        #: what impacts asked of joints and drives, a dict each: time, event, joint, fx, fy, fz, tx, ty, tz, effort
        self.impulses: list[dict[str, Any]] = []
        impulse = L.Impulse()
        while L.library.hol_recording_impulse_sized(recording, len(self.impulses), C.byref(impulse), C.sizeof(impulse)):
            self.impulses.append(impulse.as_dict())

    @property
    def t(self) -> np.ndarray:
        """Times of the rows [s]."""
        return self.data[:, 0]

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.data[:, self._index[name]]
        except KeyError:
            from difflib import get_close_matches

            near = get_close_matches(name, self.columns, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"there is no column {name!r}{hint}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def to_dict(self) -> dict[str, np.ndarray]:
        """Columns by name, each an array of its own."""
        return {name: self[name].copy() for name in self.columns}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame over time; needs pandas."""
        import pandas  # type: ignore[import]

        return pandas.DataFrame(self.data[:, 1:], index=pandas.Index(self.t, name="time"), columns=self.columns[1:])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes *.csv (with a manifest beside it) or *.h5, as `holonom run -o` does."""
        error = L.CError()
        L.checked(L.library.hol_recording_write(self._owner.handle, os.fsencode(path), self.status,
                                                self.message.encode(), C.byref(error)), error)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes a page with animation and charts that any browser shows."""
        with tempfile.TemporaryDirectory() as folder:
            stored = Path(folder) / "result.csv"
            self.save(stored)
            done = subprocess.run([L.program(), "view", str(stored), "-o", os.fspath(path)], capture_output=True,
                                  text=True, env=command_environment())
        if done.returncode:
            raise L.Error(done.stderr.strip() or "the report could not be written", -8)

    def _repr_html_(self) -> str:
        """The page itself, in notebooks; a table where the build has no pages."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "report.html"
                self.report(path)
                page = path.read_text(encoding="utf-8")
        except (L.Error, OSError):
            return self._table()
        return (f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="640" '
                f'style="border: 1px solid #ccc" title="{html.escape(self.model.name)}"></iframe>')

    def _table(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(self.units.get(name, ''))}</td>"
                       f"<td>{self[name][-1]:.6g}</td><td>{self[name].min():.6g}</td><td>{self[name].max():.6g}</td></tr>"
                       for name in self.columns[1:] if len(self.t))
        return ("<table><tr><th>column</th><th>unit</th><th>final</th><th>min</th><th>max</th></tr>"
                f"{rows}</table>")

    def __repr__(self) -> str:
        end = f"up to t = {self.t[-1]:g} s" if len(self.t) else "empty"
        return (f"<holonom.Result of {self.model.name!r}: {len(self.t)} rows, {len(self.columns)} columns, {end}"
                f"{'' if self.success else ', failed: ' + self.message.splitlines()[0]}>")


def command_environment() -> dict[str, str]:
    """The environment in which the command finds its libraries."""
    path = os.environ.get("LD_LIBRARY_PATH")
    return dict(os.environ, LD_LIBRARY_PATH=str(L.folder) + (":" + path if path else ""))
