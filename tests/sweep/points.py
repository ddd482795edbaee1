"""Functions that tests sweep, also from other processes: they note every execution in a file."""

from __future__ import annotations

import errno
import os
import signal
import time
from pathlib import Path


def note(folder: str, what: object) -> None:
    with open(Path(folder) / "executed.txt", "a") as file:
        file.write(f"{what}\n")


def executed(folder: Path) -> list[str]:
    file = folder / "executed.txt"
    return file.read_text().split() if file.is_file() else []


def slowly(i: int, folder: str) -> dict[str, int]:
    time.sleep(0.3)
    note(folder, i)
    return {"square": i * i}


def deadly(i: int, folder: str) -> int:
    if i == 2:
        print("my last words", flush=True)
        os._exit(3)
    note(folder, i)
    return i * i


def killed_once(i: int, folder: str) -> int:
    """The worker that runs point 3 first is killed; whoever runs it next gets through."""
    mark = Path(folder) / "killed"
    if i == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    note(folder, i)
    return i * i


def fills_the_disk(i: int) -> int:
    """From point 1 on, the disk of this process has no room for the first file, and room again for the next one."""
    if i == 1:
        real, calls = os.fsync, []

        def full_once(file: int) -> None:
            calls.append(file)
            if len(calls) == 1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            real(file)

        os.fsync = full_once
    return i
