"""Whole files or none: the one way in which this package puts a file on disk."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
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

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
from filelock import FileLock, Timeout

from ppdp_lab.errors import DataFileError, ParameterError, PPDPError, check_separator

Content = bytes | str | Callable[[BinaryIO], Any]

_DAY = 86_400.0
_HOST = hashlib.sha256(platform.node().encode()).hexdigest()[:6]


def atomic_write(path: str | Path, content: Content, *, mode: int | None = None) -> Path:
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
    >>> atomic_write(folder / "notes.txt", "all of it").read_text()
    'all of it'
    >>> atomic_write(folder / "secret", lambda file: file.write(b"key"), mode=0o600).stat().st_mode & 0o777 == 0o600
    True
    """
    return atomic_write_all({path: content}, mode=mode)[0]


def atomic_write_all(contents: Mapping[Any, Content], *, mode: int | None = None) -> list[Path]:
    """Write several files, all of them or none; see :func:`atomic_write`.

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
    # Closing writes what is still in the buffer, so it can fail like any other write.
    with _in_words(target), os.fdopen(opened, "wb") as file:
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
    except (OSError, ValueError) as error:
        # Archives that fail to write fail again when they are closed, with an error of their own.
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, OSError):
            cause = cause.__context__
        if cause is None or isinstance(error, PPDPError):
            raise
        reason = cause.strerror or str(cause)
        kept = ", and the old file is intact" if target.is_file() else ""
        raise DataFileError(f"{str(target)!r} cannot be written: {reason}; nothing was changed{kept}") from error


LOCK_SECONDS = 60.0  # no file takes that long to write


def check_lock(path: Path, target: Path) -> None:
    """Raise a DataFileError if something other than an ordinary file has the name of a target's lock."""
    what = "a symbolic link" if path.is_symlink() else "a folder" if path.is_dir() else "not an ordinary file"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise DataFileError(
            f"{str(target)!r} cannot be locked: its lock {str(path)!r} is {what}; remove it if no other process needs it"
        )


@contextlib.contextmanager
def locked(path: str | Path) -> Iterator[None]:
    """Let one process at a time write a file.

    The lock is a hidden file beside the target that is there while it is held. One that a killed process left behind is
    taken over. A link is never followed.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with locked(folder / "memory.npz"):
    ...     [file.suffix for file in folder.iterdir()]
    ['.lock']
    >>> list(folder.iterdir())
    []
    """
    target = Path(os.path.realpath(path))
    place = target.with_name(f"{_prefix(target)[:-1]}.lock")
    check_lock(place, target)
    lock = FileLock(place, timeout=LOCK_SECONDS, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise DataFileError(
            f"{str(target)!r} has been locked by another process for {LOCK_SECONDS:g} seconds; try again when it has finished"
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataFileError(f"{str(target)!r} cannot be locked by {str(place)!r}: {reason}") from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # while it is held: a process that waits for it notices, and makes a new one
            place.unlink()
        lock.release()


# --------------------------------------------------------------------
# Writing frames as CSV, parquet or Arrow files that our reader, and spreadsheets, take as they are meant.


CSV, PARQUET, ARROW = "CSV", "parquet", "Arrow"
FORMATS = {".csv": CSV, ".tsv": CSV, ".txt": CSV, ".parquet": PARQUET, ".arrow": ARROW, ".feather": ARROW}
_FORMULA = r"^'*[=+\-@\t\r]"  # a guarded cell gets one more mark, so that taking one off always gives it back
_NUMBER = r"^[+-]?\d+(?:[.,]\d+)?$"  # begins like a formula, but a spreadsheet reads it as the number that it is


def write_csv(frame: pd.DataFrame, path: str | Path, *, separator: str = ",", guard: bool = False) -> Path:
    """Write a frame without its index, as UTF-8, all of it or nothing.

    Parameters
    ----------
    frame : pandas.DataFrame
    path : path
    separator : str
    guard : bool
        To a spreadsheet, a text that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return is a formula, which
        it may run. With ``guard`` such texts, and names of columns, get a single quote in front; our reader takes it off
        again with ``guarded=True``.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.csv"
    >>> write_csv(pd.DataFrame({"note": ["=1+1", "fine"], "change": [-1, 2]}), path, guard=True).read_text()
    "note,change\\n'=1+1,-1\\nfine,2\\n"
    """
    return atomic_write_all({path: _csv_writer(frame, check_separator(separator), guard)})[0]


def format_of(path: str | Path) -> str:
    """The format that a file name stands for, by its extension; a name without one stands for CSV.

    >>> format_of("out.parquet"), format_of("out.tsv"), format_of("out")
    ('parquet', 'CSV', 'CSV')
    """
    suffix = Path(path).suffix
    if suffix and suffix.lower() not in FORMATS:
        raise ParameterError(
            f"cannot write {str(path)!r}: {suffix!r} is not a known format; use one of {', '.join(FORMATS)}"
        )
    return FORMATS[suffix.lower()] if suffix else CSV


def write_tables(frames: Mapping[Any, pd.DataFrame], *, separator: str = ",", guard: bool = False) -> list[Path]:
    """Write frames without their index, each in the format of its file's extension, all of them or none.

    Parameters
    ----------
    frames : mapping of path to pandas.DataFrame
    separator : str
        Field separator of ``.csv`` and ``.txt`` files; ``.tsv`` files always use tabs.
    guard : bool
        See :func:`write_csv`. Only CSV files have guarded cells.

    Notes
    -----
    Parquet and Arrow files carry no index, no categories beyond those that occur, and no metadata of the frame. The same
    frame gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "out.tsv"
    >>> write_tables({path: pd.DataFrame({"age": [30], "zip": ["01067"]})})[0].read_text()
    'age\\tzip\\n30\\t01067\\n'
    """
    separator = check_separator(separator)
    contents: dict[Any, Content] = {}
    for path, frame in frames.items():
        form = format_of(path)
        if form == CSV:
            sign = "\t" if Path(path).suffix.lower() == ".tsv" else separator
            contents[path] = _csv_writer(frame, sign, guard)
        elif guard:
            raise ParameterError(
                f"only CSV files have guarded cells, and {str(path)!r} is a {form} file; omit the guard"
            )
        else:
            contents[path] = _arrow_writer(frame, form)
    return atomic_write_all(contents)


def _csv_writer(frame: pd.DataFrame, separator: str, guard: bool) -> Content:
    try:
        shown = guarded(frame) if guard else frame
        # the csv module leaves a lone carriage return bare, which every reader takes for the end of a line
        texts = [shown[name].astype("str") for name in shown.columns if _is_text(shown[name])]
    except UnicodeEncodeError:
        raise _no_unicode() from None
    bare = any(text.str.contains("\r").any() for text in texts)
    quoting = csv.QUOTE_NONNUMERIC if bare else csv.QUOTE_MINIMAL

    def write(file: BinaryIO) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        shown.to_csv(text, index=False, sep=separator, quoting=quoting, lineterminator="\n")
        text.detach()

    return write


def _arrow_writer(frame: pd.DataFrame, form: str) -> Content:
    table = pa.table({str(name): _arrow_column(frame.iloc[:, i]) for i, name in enumerate(frame.columns)})
    if form == PARQUET:
        return lambda file: pyarrow.parquet.write_table(table, file)
    return lambda file: pyarrow.feather.write_feather(table, file, compression="uncompressed")


def _arrow_column(column: pd.Series) -> pa.Array:
    """A column as numbers, dates or text; values of several types or of one that Arrow lacks become text, as in a CSV file."""
    try:
        values = pa.Array.from_pandas(column)
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()  # a dictionary may list values that no row shows
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        values = None
    if values is not None and not (pa.types.is_nested(values.type) or isinstance(values.type, pa.BaseExtensionType)):
        return values
    try:
        return pa.array([None if pd.isna(value) else str(value) for value in column], pa.string())
    except UnicodeEncodeError:
        raise _no_unicode() from None


def _no_unicode() -> DataFileError:
    return DataFileError(
        "a text holds half of a surrogate pair, which is not valid Unicode and cannot be written; replace such characters"
    )


def formula_cells(frame: pd.DataFrame) -> int:
    """How many cells and column names a spreadsheet would take for formulas; plain numbers such as -5 are none.

    >>> formula_cells(pd.DataFrame({"note": ["=1+1", "fine"], "change": ["-1", "+"], "=x": [-1, 2]}))
    3
    """
    count = 0
    columns = [frame.iloc[:, position] for position in range(len(frame.columns)) if _is_text(frame.iloc[:, position])]
    for texts in [*columns, pd.Series([str(name) for name in frame.columns])]:
        values = pd.Series(texts.dropna().astype("str"), dtype="str")
        count += int((values.str.contains(r"^[=+\-@\t\r]") & ~values.str.contains(_NUMBER)).sum())
    return count


def guarded(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with a single quote before each text that a spreadsheet would take for a formula."""
    out = frame.copy(deep=False)
    for position in range(len(frame.columns)):
        column = frame.iloc[:, position]
        if _is_text(column):
            out.isetitem(position, column.astype("str").str.replace(f"({_FORMULA})", r"'\1", regex=True))
    names = pd.Series([str(name) for name in frame.columns], dtype="str")
    return out.set_axis(names.str.replace(f"({_FORMULA})", r"'\1", regex=True).tolist(), axis=1)


def _is_text(column: pd.Series) -> bool:
    kinds = pd.api.types
    dtype = column.dtype.categories.dtype if isinstance(column.dtype, pd.CategoricalDtype) else column.dtype
    return not (
        kinds.is_numeric_dtype(dtype) or kinds.is_datetime64_any_dtype(dtype) or kinds.is_timedelta64_dtype(dtype)
    )
