"""A data holder's own files: read them, anonymize them, publish them every month."""

from ppdp_lab.holder.algorithms import check_attributes, make_anonymizer
from ppdp_lab.holder.inputs import OwnTable, parse_hierarchies, read_own_file, reading_options, split_names
from ppdp_lab.holder.months import Months, read_months, snapshots_from_folder
from ppdp_lab.holder.outputs import check_output, count_formulas, risk_and_loss, untouched, write_release

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
