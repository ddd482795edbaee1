"""A data holder's own files: read them, anonymize them, publish them every month."""

from ppdp_lab.holder.anonymize import (
    OwnTable,
    check_attributes,
    check_output,
    count_formulas,
    make_anonymizer,
    parse_hierarchies,
    read_own_file,
    reading_options,
    risk_and_loss,
    split_names,
    untouched,
    write_release,
)
from ppdp_lab.holder.months import Months, read_months, snapshots_from_folder

__all__ = [
    "Months",
    "OwnTable",
    "check_attributes",
    "check_output",
    "count_formulas",
    "make_anonymizer",
    "parse_hierarchies",
    "read_months",
    "read_own_file",
    "reading_options",
    "risk_and_loss",
    "snapshots_from_folder",
    "split_names",
    "untouched",
    "write_release",
]
