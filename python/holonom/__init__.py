# SPDX-License-Identifier: Apache-2.0
"""Holonom from Python: mechanisms as models, runs as numpy arrays, control step by step.

    m = holonom.load("crank.yaml", L=2)
    r = m.run(end=10, tolerance=1e-8)
    r.t, r["rod.x"], r.stats, r.report("x.html")

    s = m.simulation(step=1e-3)
    s.set_input("u", 0.3); s.advance(0.1); s["rod.x"]; saved = s.state

    holonom.modes(m), holonom.equilibrium(m), holonom.stability(m), holonom.compare(m), holonom.sweep("study.yaml")
    holonom.solve(mass, force, constraint, jacobian, t_span, q0, v0)
"""
from ._library import Error
from ._library import library as _lib
from .commands import Sweep, compare, equilibrium, modes, stability, sweep
from .model import Model, load, parse
from .result import Result
from .simulation import Simulation
from .solve import Solution, solve

__version__: str = _lib.hol_version().decode().split()[1]
__all__ = ["Error", "Model", "Result", "Simulation", "Solution", "Sweep", "compare", "equilibrium", "load", "modes",
           "parse", "solve", "stability", "sweep"]
