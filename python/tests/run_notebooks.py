# SPDX-License-Identifier: Apache-2.0
"""Executes every notebook of python/notebooks; a cell that fails is the failure of the program."""
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

folder = Path(__file__).resolve().parents[1] / "notebooks"
for path in sorted(folder.glob("*.ipynb")):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}).execute()
    shown = sum("text/html" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
    print(f"{path.name}: {len(notebook.cells)} cells, {shown} pages shown")
sys.exit(0)
