"""Files: the one reader of what comes in, and the one way in which anything is written."""

from ppdp_lab.table.files.opening import open_table
from ppdp_lab.table.files.options import OPTIONS, Reading
from ppdp_lab.table.files.reading import FileFrame, read_file, read_frames, read_rows
from ppdp_lab.table.files.report import FileReport, ReadingWarning
from ppdp_lab.table.files.whole import check_lock, locked, still_runs, write_all, write_whole
from ppdp_lab.table.files.writing import format_of, formula_cells, write_csv, write_tables

__all__ = [
    "OPTIONS",
    "FileFrame",
    "FileReport",
    "Reading",
    "ReadingWarning",
    "check_lock",
    "format_of",
    "formula_cells",
    "locked",
    "open_table",
    "read_file",
    "read_frames",
    "read_rows",
    "still_runs",
    "write_all",
    "write_csv",
    "write_tables",
    "write_whole",
]
