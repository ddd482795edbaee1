"""Whole files or none: the one way in which this package puts a file on disk."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import re
import secrets
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from ppdp_lab.errors import DataFileError, ParameterError

Content = bytes | str | Callable[[BinaryIO], Any]

_DAY = 86_400.0
_HOST = hashlib.sha256(platform.node().encode()).hexdigest()[:6]


def write_whole(path: str | Path, content: Content, *, mode: int | None = None) -> Path:
    """Write one file so that its name shows the old content or the new one, never a part, even if the process is killed.

    Parameters
    ----------
    path : path
        The file to make or replace. If it is a link, the file behind it is replaced.
    content : bytes, str or callable
        What to write; text becomes UTF-8. A callable is given the open binary file and writes into it.
    mode : int, optional
        Permission bits, such as ``0o600`` for a secret. The file has them from its first byte on, and a wider one that
        stands there already is narrowed before anything is written. Unless given, a file that is replaced keeps its bits.

    Returns
    -------
    Path
        The file that was written.

    Notes
    -----
    The content goes to a hidden file beside the target, whose name holds the process id and a random part; file and folder
    are synced to disk around the renaming. A process that is killed leaves its hidden file behind; the next write to the
    same name removes it, but never one whose process is still alive (on another machine: one younger than a day).

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> write_whole(folder / "notes.txt", "all of it").read_text()
    'all of it'
    >>> write_whole(folder / "secret", lambda file: file.write(b"key"), mode=0o600).stat().st_mode & 0o777 == 0o600
    True
    """
    return write_all({path: content}, mode=mode)[0]


def write_all(contents: Mapping[Any, Content], *, mode: int | None = None) -> list[Path]:
    """Write several files, all of them or none; see :func:`write_whole`.

    Everything is written and synced beside its target before the first name changes hands. If a renaming fails, those done
    before are undone. Only a kill between two renamings can leave new files beside old ones, each of them whole.
    """
    if mode is not None and (isinstance(mode, bool) or not isinstance(mode, int) or not 0 <= mode <= 0o777):
        raise ParameterError(f"mode must be permission bits such as 0o600, not {mode!r}")
    targets = [Path(os.path.realpath(path)) for path in contents]
    if len(set(targets)) < len(targets):
        raise ParameterError("write_all was given the same file twice; give each file one content")
    fresh: list[Path] = []
    try:
        for target, content in zip(targets, contents.values()):
            with _in_words(target):
                _check_place(target)
                _remove_leftovers(target)
                fresh.append(_beside(target))
            _fill(fresh[-1], target, content, mode)
        _rename(fresh, targets)
    finally:
        for part in fresh:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
    return targets


def _check_place(target: Path) -> None:
    if not target.parent.is_dir():
        raise DataFileError(f"no folder {str(target.parent)!r} to write {target.name!r} into; make it first")
    if target.is_dir():
        raise DataFileError(f"{str(target)!r} is a folder, so it cannot be written; name a file")


def _beside(target: Path) -> Path:
    return target.with_name(f"{_prefix(target)}{_HOST}-{os.getpid()}-{secrets.token_hex(6)}.part")


def _prefix(target: Path) -> str:
    """How the hidden files of a target begin: its name to be recognized by, and a hash since long names are cut."""
    return f".{target.name[:40]}~{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:8]}-"


def _fill(part: Path, target: Path, content: Content, mode: int | None) -> None:
    with _in_words(target):
        there = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        if mode is not None and there is not None and there & ~mode:
            target.chmod(there & mode)  # at once: what stands there is as secret as what comes
        bits = mode if mode is not None else there
        opened = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), bits or 0o666)
        with os.fdopen(opened, "wb") as file:  # closing flushes, so on a full disk it fails a second time
            if bits is not None:
                part.chmod(bits)  # whatever the umask says
            if callable(content):
                content(file)
            else:
                file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())


def _rename(fresh: list[Path], targets: list[Path]) -> None:
    """Give every file its name; on failure give the names back."""
    kept: list[tuple[Path, Path | None]] = []
    try:
        for part, target in zip(fresh, targets):
            with _in_words(target):
                kept.append((target, _copy_of(target) if len(targets) > 1 and target.exists() else None))
                os.replace(part, target)
    except BaseException:
        for (target, old), part in zip(kept, fresh):
            if part.exists():  # this one was not renamed
                continue
            with contextlib.suppress(OSError):
                os.replace(old, target) if old is not None else target.unlink(missing_ok=True)
        raise
    finally:
        for _, old in kept:
            if old is not None:
                with contextlib.suppress(OSError):
                    old.unlink(missing_ok=True)
    for folder in {target.parent for target in targets}:
        _sync_folder(folder)


def _copy_of(target: Path) -> Path:
    """The content of a target under a second, hidden name."""
    old = _beside(target)
    try:
        os.link(target, old)
    except OSError:  # not every filesystem has links
        shutil.copy2(target, old)
    return old


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # not every system opens folders
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _remove_leftovers(target: Path) -> None:
    """Remove hidden files of this target whose writer is dead."""
    form = re.compile(re.escape(_prefix(target)) + r"(?P<host>[0-9a-f]{6})-(?P<pid>\d+)-[0-9a-f]{12}\.part")
    for entry in os.scandir(target.parent):
        match = form.fullmatch(entry.name)
        if match is None:
            continue
        with contextlib.suppress(OSError):  # somebody else may have been quicker
            touched = entry.stat(follow_symlinks=False).st_mtime
            here = match["host"] == _HOST
            if not still_runs(int(match["pid"]), touched) if here else time.time() - touched > _DAY:
                os.unlink(entry.path)


def still_runs(pid: int, touched: float) -> bool:
    """Whether the process that touched a file at that time still lives; process ids are given out again.

    When a process began tells psutil, which comes with an extra. Without it, a process of that number counts for a day.
    """
    try:
        import psutil
    except ModuleNotFoundError:
        return _lives(pid) and time.time() - touched < _DAY
    try:
        return bool(psutil.Process(pid).create_time() <= touched + 2)  # clocks of files and processes differ a little
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:  # it lives, but says nothing
        return time.time() - touched < _DAY


def _lives(pid: int) -> bool:
    if os.name != "posix":  # elsewhere a signal of 0 is no question
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@contextlib.contextmanager
def _in_words(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataFileError(f"{str(target)!r} cannot be written: {reason}; nothing was changed") from error
