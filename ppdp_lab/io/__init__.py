"""Files: the one reader of what comes in, and the one way in which anything is written."""

from ppdp_lab.io.options import OPTIONS, FileReport, Reading, ReadingWarning
from ppdp_lab.io.reading import (
    FileFrame,
    doubtful_columns,
    open_table,
    read_file,
    read_frames,
    read_hierarchy,
    read_rows,
    write_hierarchy,
)
from ppdp_lab.io.writing import (
    atomic_write,
    atomic_write_all,
    check_lock,
    format_of,
    formula_cells,
    locked,
    still_runs,
    write_csv,
    write_tables,
)

__all__ = [
    "OPTIONS",
    "FileFrame",
    "FileReport",
    "Reading",
    "ReadingWarning",
    "atomic_write",
    "atomic_write_all",
    "check_lock",
    "doubtful_columns",
    "format_of",
    "formula_cells",
    "locked",
    "open_table",
    "read_file",
    "read_frames",
    "read_hierarchy",
    "read_rows",
    "still_runs",
    "write_csv",
    "write_hierarchy",
    "write_tables",
]
