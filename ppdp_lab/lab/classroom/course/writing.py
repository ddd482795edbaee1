"""Writing a course: nbgrader's configuration and the source notebooks, ready to hand out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ppdp_lab.errors import DataFileError, unknown
from ppdp_lab.lab.classroom.course.catalogue import EXERCISES, source_of
from ppdp_lab.table.files import write_whole

CONFIGURATION = "nbgrader_config.py"
CELL_SECONDS = 30
SETTINGS = '''"""Settings of nbgrader for the exercises of ppdp_lab; run `nbgrader` in this folder."""

import atexit
import os
import shutil
import sysconfig
import tempfile

# nbgrader calls `alembic` by name, and takes the kernel "python3": both are to be this environment's own.
os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ.get("PATH", "")
os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"

c = get_config()
c.CourseDirectory.course_id = "ppdp"
c.CourseDirectory.root = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else os.getcwd()
c.NbGrader.logfile = ""

# A cell that never ends is interrupted and the next one runs; so it does after an error.
c.Execute.timeout = {seconds}
c.Execute.interrupt_on_timeout = True
c.Execute.allow_errors = True
c.Execute.raise_on_iopub_timeout = False

# Kernels talk through files of their own where the system allows it: no port is shared by gradings that run at once.
if os.name == "posix":
    sockets = tempfile.mkdtemp(prefix="ppdp")
    atexit.register(shutil.rmtree, sockets, ignore_errors=True)
    c.KernelManager.transport = "ipc"
    c.KernelManager.ip = os.path.join(sockets, "kernel")

# Feedback shows what a check said, and not the hidden checks themselves.
c.GenerateFeedback.preprocessors = [
    "nbgrader.preprocessors.GetGrades",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
'''


def write_course(folder: Path, exercises: Iterable[str] | None = None) -> list[Path]:
    """Write a course with all exercises, or those named, into a folder that is empty or not there yet; return the files."""
    chosen = list(EXERCISES) if exercises is None else list(exercises)
    for name in chosen:
        if name not in EXERCISES:
            raise unknown("exercise", name, EXERCISES)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataFileError(
            f"{folder} is there already and not an empty folder; name a new one, nothing is overwritten"
        )
    written = [folder / CONFIGURATION, *(folder / "source" / name / f"{name}.ipynb" for name in chosen)]
    contents = [
        SETTINGS.replace("{seconds}", str(CELL_SECONDS)).encode(),
        *(source_of(name).read_bytes() for name in chosen),
    ]
    for path, content in zip(written, contents):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    return written
