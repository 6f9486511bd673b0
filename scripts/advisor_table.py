#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# The table of docs/advisor.md from the objects that `holonom compare --json` printed, see advisor.sh.
import json, os, sys

LEAST = 2e-3  # [s] runs shorter than this are not judged


def entries(folder):
    for name in sorted(os.listdir(folder)):
        try:
            with open(os.path.join(folder, name)) as f:
                data = json.load(f)
        except ValueError:
            continue
        for limit in data.get("limits", []):
            best = {}
            for run in limit["runs"]:
                if run.get("step") is None and run["status"] == "ok":
                    key = run["method"]
                    if key not in best or run["cpu_seconds"] < best[key]["cpu_seconds"]:
                        best[key] = run
            others = [r for k, r in best.items() if k != "auto"]
            if others and "auto" in best:
                yield name[:-5], limit["limit"], best["auto"], min(others, key=lambda r: r["cpu_seconds"])


rows = list(entries(sys.argv[1]))
judged = [(a["cpu_seconds"] / b["cpu_seconds"], n, l) for n, l, a, b in rows if b["cpu_seconds"] >= LEAST]
every = [(a["cpu_seconds"] / b["cpu_seconds"], n, l) for n, l, a, b in rows]
print("# How well `auto` chooses\n")
print("Output of `scripts/advisor.sh build`: CPU time of `method: auto`, its pilot included, over that of the best method of")
print("`holonom compare` (taylor, radau, rk853, tangent) at the same achieved error, on all models of `models/` and on mechanisms kept")
print("aside in `bench/advisor/`. Machine: two processors, shared; times below a millisecond are mostly starting costs.\n")
for title, list_ in (("of 2 ms and more", judged), ("all", every)):
    if list_:
        within = sum(r <= 2 for r, _, _ in list_)
        worst = max(list_)
        print(f"- runs {title}: {within} of {len(list_)} within 2 times the best ({100 * within / len(list_):.0f} %), "
              f"worst {worst[0]:.2f} ({worst[1].replace('_', '/')}, {worst[2]:g})")
print("\n| model | error | best | ms | auto ms | ratio |")
print("|---|---|---|---|---|---|")
for name, limit, auto, best in rows:
    ratio = auto["cpu_seconds"] / best["cpu_seconds"]
    print(f"| {name.replace('_', '/')} | {limit:g} | {best['method']} | {1e3 * best['cpu_seconds']:.3g} | "
          f"{1e3 * auto['cpu_seconds']:.3g} | {ratio:.2f} |")
