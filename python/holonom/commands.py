# SPDX-License-Identifier: Apache-2.0
"""What the command `holonom` computes, as dictionaries: modes, equilibrium, stability, compare, sweep."""
from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence

import numpy as np

from . import _library as L
from .model import Model
from .result import command_environment

_STATUS = {2: -1, 3: -5, 4: -7, 130: 1}  # exit codes of the command as states of the library


def _fail(done: "subprocess.CompletedProcess[str]") -> L.Error:
    text = done.stderr.strip() or f"holonom ended with {done.returncode}"
    found = re.search(r":(\d+):(\d+): error:", text)
    line, column = (int(found[1]), int(found[2])) if found else (0, 0)
    return L.Error(text, _STATUS.get(done.returncode, -1), line, column)


def _call(arguments: Sequence[str], text: str | None = None, folder: str | None = None,
          good: tuple[int, ...] = (0,)) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run([L.program(), *arguments], input=text, capture_output=True, text=True, cwd=folder,
                          env=command_environment())
    if done.returncode == 130:
        raise KeyboardInterrupt
    if done.returncode not in good:
        raise _fail(done)
    return done


def _ask(verb: str, model: Model, options: dict[str, Any], good: tuple[int, ...] = (0,)) -> dict[str, Any]:
    arguments = [verb, os.path.abspath(model.file) if model.file else "-", "--json"]
    for key, value in model._settings.items():
        array, _ = L.settings({key: value})
        arguments += ["--set", f"{key}={array[0].value.decode()}"]
    for key, value in options.items():
        if value is None or value is False:
            continue
        flag = "--" + key.rstrip("_").replace("_", "-")
        if value is True:
            arguments.append(flag)
        elif isinstance(value, (list, tuple)):
            arguments += [flag, ",".join(str(v) for v in value)]
        else:
            arguments += [flag, str(value)]
    return json.loads(_call(arguments, None if model.file else model.source, None, good).stdout)


def modes(model: Model, at: float | None = None, equilibrium: bool = False, count: int | None = None,
          **options: Any) -> dict[str, Any]:
    """Frequencies, damping and shapes next to a state: the object that `holonom modes --json` prints."""
    return _ask("modes", model, dict(options, at=at, equilibrium=equilibrium, count=count))


def equilibrium(model: Model, at: float | None = None, **options: Any) -> dict[str, Any]:
    """Where the mechanism rests. Raises :class:`Error` where none is found."""
    return _ask("equilibrium", model, dict(options, at=at))


def stability(model: Model, method: str | None = None, **options: Any) -> dict[str, Any]:
    """omega_max along the motion and the largest stable step of every method."""
    return _ask("stability", model, dict(options, method=method))


def compare(model: Model, methods: Sequence[str] | None = None, limits: Sequence[float] | None = None,
            **options: Any) -> dict[str, Any]:
    """Work and precision of the methods on a model."""
    return _ask("compare", model, dict(options, methods=methods, limits=limits))


class Sweep(dict[str, np.ndarray]):
    """Columns of a sweep by name, a row a run; failed runs have text in ``message``."""

    @property
    def columns(self) -> list[str]:
        return list(self)


def _column(values: list[str]) -> np.ndarray:
    try:
        return np.array([float(v) if v else np.nan for v in values])
    except ValueError:
        return np.array(values)


def sweep(study: str | os.PathLike[str] | dict[str, Any], *, output: str | os.PathLike[str] | None = None,
          jobs: int | None = None, resume: bool = False, report: str | os.PathLike[str] | None = None) -> Sweep:
    """Runs a study (a file, or its content as a dict) over the processors; a row a run."""
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(study, dict):
            content = dict(study, model=os.path.abspath(study["model"])) if "model" in study else study
            path = Path(folder) / "study.yaml"
            path.write_text(json.dumps(content))
        else:
            path = Path(study)
        result = Path(output) if output else Path(folder) / "sweep.csv"
        table = result if result.suffix == ".csv" else Path(folder) / "sweep.csv"
        arguments = ["sweep", str(path), "-o", str(result)]
        if jobs:
            arguments += ["--jobs", str(jobs)]
        if resume:
            arguments.append("--resume")
        if report:
            arguments += ["--report", os.fspath(report)]
        _call(arguments)
        if table != result:
            _call(["sweep", str(path), "-o", str(table)] + (["--jobs", str(jobs)] if jobs else []))
        with open(table, newline="") as file:
            rows = list(csv.reader(file))
    return Sweep((name, _column([row[i] for row in rows[1:]])) for i, name in enumerate(rows[0]))
