# SPDX-License-Identifier: Apache-2.0
"""Takes the shared libraries and the command of the source tree into the package (no network).

HOLONOM_BUILD names the folder where they were built (default: build, beside the folder of this file); where they
are missing, `make` builds them.
"""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

root = Path(__file__).resolve().parents[1]
build = Path(os.environ.get("HOLONOM_BUILD", root / "build"))
LIBRARIES = ("libholonom.so.1", "libholonom_tools.so.1")


class BuildWithLibraries(build_py):
    def run(self) -> None:
        super().run()
        if not all((build / name).exists() for name in (*LIBRARIES, "holonom")):
            subprocess.run(["make", "-C", str(root), f"BUILD={build}"], check=True)
        target = Path(self.build_lib) / "holonom"
        (target / "bin").mkdir(parents=True, exist_ok=True)
        for name in LIBRARIES:
            shutil.copy(build / name, target / name)
        shutil.copy(build / "holonom", target / "bin" / "holonom")


class BinaryDistribution(Distribution):
    def has_ext_modules(self) -> bool:  # the wheel is for this machine
        return True


setup(cmdclass={"build_py": BuildWithLibraries}, distclass=BinaryDistribution)
