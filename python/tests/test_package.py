# SPDX-License-Identifier: Apache-2.0
"""The package: models, results, runs step by step, errors, equations of one's own."""
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import holonom

MODELS = Path(__file__).resolve().parents[2] / "models"
CART_POLE = """
holonom: 1
name: Cart-pole
space: planar
gravity: [0, -9.81]
parameters: {M: 1, m: 0.1, L: 0.5}
inputs: {u: 0}
bodies:
  - {name: cart, mass: M, inertia: 0.1, position: [0, 0]}
  - {name: pole, mass: m, inertia: "m*L^2/3", position: [0, L], angle: 0, points: {foot: [0, "-L"], tip: [0, L]}}
joints:
  - {name: rail, type: prismatic, between: [{body: ground, at: [0, 0], axis: [1, 0]}, {body: cart, at: [0, 0], axis: [1, 0]}]}
  - {name: hinge, type: revolute, between: [cart, pole.foot]}
forces:
  - {name: push, type: force, on: cart, value: [u, 0]}
simulation: {end: 10, tolerance: 1e-8}
"""


@pytest.fixture
def pendulum():
    return holonom.load(MODELS / "pendulum.yaml")


def test_model(pendulum):
    assert pendulum.dof == 1
    assert pendulum.bodies and "ground" not in pendulum.bodies
    assert pendulum.joints
    assert pendulum.columns[0] == "time" and pendulum.units["time"] == "s"
    assert pendulum.check()["constraints"] == 1


def test_parameters():
    m = holonom.parse(CART_POLE, L=2)
    assert m.parameters == {"M": 1, "m": 0.1, "L": 2}
    assert m.bodies == ["cart", "pole"] and m.joints == ["rail", "hinge"] and m.dof == 2
    assert holonom.parse(CART_POLE).parameters["L"] == 0.5


def test_run(pendulum):
    r = pendulum.run(end=2, tolerance=1e-9, output_step=0.01)
    assert r.success and r.message == "" and len(r.t) == 201
    body = pendulum.bodies[0]
    x = r[f"{body}.x"]
    assert x.base is not None and x.shape == r.t.shape  # a view, no copy
    assert set(r) == set(r.columns) and len(r) == len(r.columns)
    energy = r["energy.total"]
    assert np.ptp(energy) < 1e-7 * max(1, abs(energy[0]))
    assert r.stats["steps"] > 0 and r.stats["method"]
    d = r.to_dict()
    assert d["time"].base is None and np.array_equal(d["time"], r.t)
    with pytest.raises(KeyError, match="did you mean"):
        r[f"{body}.xx"]


def test_arrays_outlive_results(pendulum):
    t = pendulum.run(end=1).t
    copy = t.copy()
    for _ in range(5):
        pendulum.run(end=1)
    assert np.array_equal(t, copy)


def test_methods_and_steps(pendulum):
    body = pendulum.bodies[0]
    a = pendulum.run(end=1, step=1e-3, method={"name": "tangent", "scheme": "newmark"})
    b = pendulum.run(end=1, tolerance=1e-10, method="taylor")
    assert abs(a[f"{body}.x"][-1] - b[f"{body}.x"][-1]) < 1e-5
    assert a.stats["method"] == "tangent" and a.stats["steps"] == 1000
    assert b.stats["method"] == "taylor"


def test_files(pendulum, tmp_path):
    r = pendulum.run(end=1)
    for name in ("x.csv", "x.h5"):
        r.save(tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    table = np.genfromtxt(tmp_path / "x.csv", delimiter=",", names=True)
    assert np.array_equal(table["time"], r.t)
    with pytest.raises(holonom.Error) as e:
        r.save(tmp_path / "no" / "x.csv")
    assert e.value.status == -7


def test_report(pendulum, tmp_path):
    r = pendulum.run(end=0.5)
    try:
        r.report(tmp_path / "x.html")
    except holonom.Error as e:
        pytest.skip(f"no pages in this build: {e}")
    assert "<html" in (tmp_path / "x.html").read_text()[:2000].lower()
    page = r._repr_html_()
    assert page.startswith("<iframe") and "srcdoc" in page
    assert "<table>" in r._table()


def test_errors():
    with pytest.raises(holonom.Error) as e:
        holonom.parse("holonom: 1\nspace: planar\nbodies:\n  - {name: a, mas: 1}\n")
    assert e.value.line == 4 and e.value.column > 0 and e.value.status == -1 and "mas" in str(e.value)
    again = pickle.loads(pickle.dumps(e.value))
    assert again.line == 4 and str(again) == str(e.value)
    with pytest.raises(holonom.Error) as e:
        holonom.load("/nonexistent.yaml")
    assert e.value.status == -7
    m = holonom.parse(CART_POLE)
    for bad in ({"ende": 1}, {"end": -1}, {"method": "nix"}, {"step": float("nan")}):
        with pytest.raises(holonom.Error, match="options:1:"):
            m.run(**bad)


def test_failed_integration():
    m = holonom.parse(CART_POLE.replace("value: [u, 0]", 'value: ["1/(1 - time)^2", 0]'))
    r = m.run(end=2)
    assert not r.success and r.message and r.status < 0
    assert 0.5 < r.t[-1] < 1.01


def test_step_by_step():
    m = holonom.parse(CART_POLE)
    s = m.simulation(step=1e-3)
    assert s.t == 0
    s.set_input("u", 0.3)
    s.advance(0.1)
    assert s.t == pytest.approx(0.1) and s["cart.x"] > 0 and s["u"] == 0.3
    assert s["pole.tip.x"] == pytest.approx(s["pole.x"] - 0.5 * np.sin(s["pole.angle"]))
    with pytest.raises(KeyError, match="pole.x"):
        s["pole.xx"]
    for bad in (float("nan"), float("inf")):
        with pytest.raises(holonom.Error, match="not a number"):
            s.set_input("u", bad)
    with pytest.raises(holonom.Error, match="the model has u"):
        s.set_input("v", 1)
    assert s.row()["cart.x"] == s["cart.x"]
    assert s.stats["steps"] == 100
    assert s.q.size == 6 and s.v.size == 6


def test_state_is_bit_identical():
    m = holonom.parse(CART_POLE)
    for options in ({"step": 1e-3}, {"method": "taylor"}, {"method": "radau"}):
        s = m.simulation(inputs={"u": 1}, **options)
        s.advance(0.5)
        saved, c = s.state, s.copy()
        assert isinstance(saved, bytes)
        s.set_input("u", -1)
        s.advance(1)
        expected = s.row()
        s.state = saved
        assert s.t == 0.5 and s["u"] == 1
        for other in (s, c):
            other.set_input("u", -1)
            other.advance(1)
            assert other.row() == expected
        with pytest.raises(holonom.Error, match="damaged"):
            s.state = saved[:-1] + bytes([saved[-1] ^ 1])
        fresh = m.simulation(**options)
        fresh.state = saved
        fresh.set_input("u", -1)
        fresh.advance(1)
        assert fresh.row() == expected


def test_state_in_another_process(tmp_path):
    m = holonom.parse(CART_POLE)
    s = m.simulation(inputs={"u": 1})
    s.advance(0.5)
    (tmp_path / "state").write_bytes(s.state)
    (tmp_path / "model.yaml").write_text(CART_POLE)
    s.advance(1)
    code = textwrap.dedent(f"""
        import holonom
        s = holonom.parse(open({str(tmp_path / 'model.yaml')!r}).read()).simulation()
        s.state = open({str(tmp_path / 'state')!r}, "rb").read()
        s.advance(1)
        print(s["pole.angle"].hex())""")
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == s["pole.angle"].hex()


def test_set_state():
    s = holonom.parse(CART_POLE).simulation()
    s.advance(0.2)
    q, v = s.q, s.v
    s.advance(0.4)
    s.set_state(0.2, q, v)
    assert s.t == 0.2 and np.allclose(s.q, q)
    with pytest.raises(holonom.Error, match="6 numbers"):
        s.set_state(0, q[:2], v)


def test_mechanics():
    s = holonom.parse(CART_POLE).simulation(inputs={"u": 2})
    s.advance(0.5)
    phi, w = s["hinge.angle"], s["hinge.rate"]
    M, h = s.joint_space()
    assert np.allclose(M, [[1.1, -0.05 * np.cos(phi)], [-0.05 * np.cos(phi), 0.1 * 0.25 * 4 / 3]])
    assert np.allclose(h, [0.05 * np.sin(phi) * w * w - 2, -0.1 * 9.81 * 0.5 * np.sin(phi)])
    J = s.jacobian("pole.tip")
    assert np.allclose(J[:2], [[1, -np.cos(phi)], [0, -np.sin(phi)]])
    u = s.inverse_dynamics([s["cart.x"], phi], [s["cart.vx"], w], [0.1, 0.2])
    assert np.allclose(u, M @ [0.1, 0.2] + h)
    position, A = s.pose("pole")
    assert position[0] == s["pole.x"] and np.allclose(A[:2, :2], [[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])


def test_control_loop_is_fast():
    """1 kHz for 10 s: an upright pole under a linear controller."""
    m = holonom.parse(CART_POLE.replace("angle: 0,", "angle: 0.1, "))
    best = np.inf
    for _ in range(3):
        s = m.simulation(step=1e-3, method="tangent")
        begin = time.process_time()
        for k in range(1, 10001):
            s.set_input("u", s["cart.x"] + 2 * s["cart.vx"] - 30 * s["pole.angle"] - 6 * s["pole.omega"])
            s.advance(k * 1e-3)
        best = min(best, time.process_time() - begin)
        assert abs(s["pole.angle"]) < 1e-2 and s.t == pytest.approx(10)
        if best < 0.5:
            break
    assert best < 0.5


def test_commands(pendulum):
    modes = holonom.modes(pendulum)
    assert modes["dof"] == 1
    rest = holonom.equilibrium(holonom.load(MODELS / "double-pendulum.yaml"))
    assert rest["stable"]
    text = holonom.parse(CART_POLE, m=0.2)
    assert holonom.modes(text)["dof"] == 2
    assert "methods" in holonom.stability(pendulum, points=2)
    with pytest.raises(holonom.Error) as e:
        holonom.modes(pendulum, nonsense=1)
    assert e.value.status == -1


def test_interrupt(tmp_path):
    """Ctrl-C ends a long run soon, and an advance."""
    for call in ("m.run(end=1e6)", "m.simulation().advance(1e6)"):
        code = textwrap.dedent(f"""
            import signal
            signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored behind some shells
            import holonom
            m = holonom.load({str(MODELS / 'double-pendulum.yaml')!r})
            print("go", flush=True)
            try:
                {call}
            except KeyboardInterrupt:
                print("stopped", flush=True)""")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as p:
            assert p.stdout.readline().strip() == "go"
            time.sleep(0.5)
            begin = time.monotonic()
            p.send_signal(signal.SIGINT)
            assert p.stdout.readline().strip() == "stopped"
            assert time.monotonic() - begin < 5
            p.wait(10)


def test_lock_is_released():
    m = holonom.load(MODELS / "double-pendulum.yaml")
    counted, done = 0, threading.Event()

    def work():
        m.run(end=600, tolerance=1e-12, output_step=0.5)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    thread.join()
    assert counted > 3


def test_threads_share_a_model(pendulum):
    expected, wrong = pendulum.run(end=2).data.copy(), []

    def work():
        for _ in range(5):
            if not np.array_equal(pendulum.run(end=2).data, expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- equations of one's own ----


def _pendulum(**keywords):
    return holonom.solve(np.eye(2), lambda t, q, v: [0, -9.81], lambda t, q: q[0] ** 2 + q[1] ** 2 - 1,
                         lambda t, q: [[2 * q[0], 2 * q[1]]], (0, 2), [1, 0], [0, 0], **keywords)


def test_solve():
    r = _pendulum(tol=1e-9, method="rk853")
    assert r.success and r.t[0] == 0 and r.t[-1] == 2
    assert r.q.shape == (2, r.t.size) and r.v.shape == r.q.shape and r.lam.shape == (1, r.t.size)
    assert np.abs(r.q[0] ** 2 + r.q[1] ** 2 - 1).max() < 1e-10
    energy = 0.5 * (r.v ** 2).sum(0) + 9.81 * r.q[1]
    assert np.abs(energy).max() < 1e-6
    # M q'' + G^T lam = f on the radius: 2 lam = -9.81 y + v^2
    assert np.allclose(2 * r.lam[0], -9.81 * r.q[1] + (r.v ** 2).sum(0), atol=1e-5)
    grid = np.linspace(0, 2, 21)
    again = _pendulum(tol=1e-9, method="rk853", t_eval=grid)
    assert np.array_equal(again.t, grid) and np.allclose(again.q[:, -1], r.q[:, -1], atol=1e-9)
    differenced = holonom.solve(lambda t, q: np.eye(2), lambda t, q, v: [0, -9.81],
                                lambda t, q: [q @ q - 1], None, (0, 2), [1, 0], [0, 0], tol=1e-4)
    assert np.allclose(differenced.q[:, -1], r.q[:, -1], atol=1e-3)
    fixed = _pendulum(step=0.01, method={"name": "hht", "alpha": -0.05})
    assert fixed.t.size == 201 and np.allclose(fixed.q[:, -1], r.q[:, -1], atol=0.02)
    free = holonom.solve(2 * np.eye(1), lambda t, q, v: [-8 * q[0]], None, None, (0, 1), [1], [0], tol=1e-10)
    assert free.q[0, -1] == pytest.approx(np.cos(2), abs=1e-7) and free.lam.shape[0] == 0


def test_solve_refuses():
    class Mine(Exception):
        pass

    def broken(t, q, v):
        if t > 0.5:
            raise Mine("here")
        return [0, -9.81]

    with pytest.raises(Mine, match="here"):
        holonom.solve(np.eye(2), broken, None, None, (0, 2), [1, 0], [0, 0])
    for call in (lambda: holonom.solve(np.eye(3), lambda t, q, v: [0, 0], None, None, (0, 1), [1, 0], [0, 0]),
                 lambda: holonom.solve(np.eye(2), lambda t, q, v: [0], None, None, (0, 1), [1, 0], [0, 0]),
                 lambda: holonom.solve(np.eye(2), lambda t, q, v: [0, 0], None, None, (1, 0), [1, 0], [0, 0]),
                 lambda: holonom.solve(np.eye(2), lambda t, q, v: [0, 0], None, None, (0, 1), [1, np.nan], [0, 0]),
                 lambda: holonom.solve(np.eye(2), lambda t, q, v: [0, 0], None, None, (0, 1), [1, 0], [0]),
                 lambda: _pendulum(method="nix"), lambda: _pendulum(t_eval=[3])):
        with pytest.raises(holonom.Error):
            call()


# ---- events, parameters, functions ----


def test_events(tmp_path):
    m = holonom.load(MODELS / "bouncing-ball.yaml")
    r = m.run()
    assert r.success and len(r.events) > 3 and r.stats["events"] == len(r.events)
    first = r.events[0]
    assert set(first) == {"time", "name", "kind", "speed_before", "speed_after", "impulse_n", "impulse_t", "loss",
                          "sensitivity"}
    assert isinstance(first["kind"], str) and first["time"] > 0
    times = [e["time"] for e in r.events]
    assert times == sorted(times)
    r.save(tmp_path / "x.csv")
    rows = (tmp_path / "x_events.csv").read_text().splitlines()
    assert rows[0].split(",") == list(first) and len(rows) == len(r.events) + 1
    s = m.simulation()
    s.advance(first["time"] + 1e-3)
    assert s.events and s.events[0]["time"] == pytest.approx(first["time"])


def test_advance_ends_at_a_stop():
    s = holonom.parse("""
holonom: 1
space: planar
bodies: [{name: q, type: coordinate, velocity: 1}]
events: [{when: q.x - 1.5, stop: true}]
""").simulation()
    assert s.advance(1) == 0 and s.advance(3) == 2
    assert s.t == pytest.approx(1.5, abs=1e-12)


def test_impulses(tmp_path):
    """A rod on a hinge strikes a wall with P at b below it: the hinge takes P (m c b/I - 1)."""
    m = holonom.load(MODELS / "percussion.yaml")
    r = m.run()
    first = r.impulses[0]
    assert list(first) == ["time", "event", "joint", "fx", "fy", "fz", "tx", "ty", "tz", "effort"]
    blow = next(e for e in r.events if e["time"] == first["time"] and e["name"] == first["event"])
    assert blow["kind"] == "impact" and first["joint"] == "O"
    b, c, about = m.parameters["b"], 0.5, 2 * 0.5**2 + 1 / 6
    assert first["fx"] == pytest.approx(blow["impulse_n"] * (2 * c * b / about - 1), rel=1e-7)
    r.save(tmp_path / "x.csv")
    rows = (tmp_path / "x_impulses.csv").read_text().splitlines()
    assert rows[0].split(",") == list(first) and len(rows) == len(r.impulses) + 1
    s = m.simulation()
    assert s.impulses == []
    s.advance(first["time"] + 1e-3)
    assert s.impulses[0]["fx"] == pytest.approx(first["fx"])


SPRING = """
holonom: 1
space: planar
parameters: {m: 2, c: 0.5}
bodies: [{name: x, type: coordinate, mass: m}]
forces:
  - {name: f, type: expression, acts_on: x, value: "-LAW - c*x.v + 3"}
simulation: {end: 4, tolerance: 1e-9}
"""


def test_functions():
    def law(x, v):
        return 5 * x + 2 * x ** 3 + 0.1 * v

    expected = holonom.parse(SPRING.replace("LAW", "(5*x + 2*x^3 + 0.1*x.v)")).run()
    m = holonom.parse(SPRING.replace("LAW", "law(x, x.v)"), functions={"law": law})
    for method in ("auto", "rk853", "radau", "tangent", "bdf"):
        r = m.run(method=method)
        assert r.success, r.message
        assert r["x.x"][-1] == pytest.approx(expected["x.x"][-1], abs=1e-6)
    with pytest.raises(holonom.Error, match="takes 2 arguments") as e:
        holonom.parse(SPRING.replace("LAW", "law(x)"), functions={"law": law})
    assert e.value.line == 7 and e.value.column > 40
    with pytest.raises(holonom.Error, match="unknown function 'law'"):
        holonom.parse(SPRING.replace("LAW", "law(x, 1)"))

    def broken(x):
        if x > 0.1:
            raise RuntimeError("here")
        return 0.0

    m = holonom.parse(SPRING.replace("LAW", "broken(x)"), functions={"broken": broken})
    with pytest.raises(RuntimeError, match="here"):
        m.run()
    with pytest.raises(RuntimeError, match="here"):
        m.simulation().advance(4)


def test_tunable_parameters():
    text = SPRING.replace("LAW", "5*x")
    m = holonom.parse(text, tunable=["c"])
    assert m.parameters == {"m": 2, "c": 0.5} and m.inputs == ["c"]
    s = m.simulation()
    s.set_parameter("c", 7)
    s.advance(4)
    assert s["x"] == pytest.approx(holonom.parse(text, c=7).run()["x.x"][-1], abs=1e-8)
    with pytest.raises(holonom.Error, match="folded"):
        s.set_parameter("m", 3)
    with pytest.raises(holonom.Error, match="no parameter 'cc'; did you mean 'c'"):
        s.set_parameter("cc", 3)
    for bad in (float("nan"), "text", None):
        with pytest.raises(holonom.Error):
            s.set_parameter("c", bad)
        with pytest.raises(holonom.Error):
            s.set_input("c", bad)
    with pytest.raises(holonom.Error, match="'m' stands under 'tunable'"):
        holonom.parse(text, tunable=["m"])
    with pytest.raises(holonom.Error, match="there is no parameter 'k'"):
        holonom.parse(text, tunable=["k"])


def test_forces_by_name():
    s = holonom.load(MODELS / "slider-crank.yaml").simulation()
    s.advance(0.005)
    assert np.isfinite(s["drive.force"]) and s["drive.force"] != 0
    angle = s["rod.angle"]
    assert s["pin.f_body.x"] == pytest.approx(np.cos(angle) * s["pin.fx"] + np.sin(angle) * s["pin.fy"])
    force, torque = s.reaction("pin")
    assert force[0] == pytest.approx(s["pin.fx"]) and force[1] == pytest.approx(s["pin.fy"])
    with pytest.raises(holonom.Error):
        s.reaction("nothing")
    spring = holonom.parse("""
holonom: 1
space: planar
ground: {points: {O: [0, 0]}}
bodies: [{name: b, type: point, mass: 1, position: [2, 0]}]
forces: [{name: k, type: spring_damper, between: [ground.O, b], stiffness: 3, length: 1}]
simulation: {end: 1}
""").simulation()
    assert spring["k.force"] == pytest.approx(3) and spring["k.length"] == 2
