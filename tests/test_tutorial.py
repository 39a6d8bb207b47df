"""The tutorial runs in a real kernel, and shows what is stored in it.

After a change that is meant, `python tests/test_tutorial.py` runs it and stores what it shows.
"""

import os
import shutil
from pathlib import Path

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
TUTORIAL = ROOT / "examples" / "tutorial.ipynb"


def executed(directory: Path) -> nbformat.NotebookNode:
    notebook = nbformat.read(TUTORIAL, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": directory}}).execute()
    for cell in notebook.cells:
        cell.metadata = {}  # when each cell was run
    return notebook


def outputs(notebook: nbformat.NotebookNode) -> list[object]:
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def test_it_shows_what_is_stored(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    shutil.copytree(ROOT / "examples" / "networks", tmp_path / "networks")
    assert outputs(executed(tmp_path)) == outputs(nbformat.read(TUTORIAL, as_version=4))


def test_every_cell_shows_something_and_nothing_large():
    shown = outputs(nbformat.read(TUTORIAL, as_version=4))
    assert len(shown) >= 10
    assert all(len(found) == 1 for found in shown)
    assert TUTORIAL.stat().st_size < 50_000


if __name__ == "__main__":
    nbformat.write(executed(TUTORIAL.parent), TUTORIAL)
