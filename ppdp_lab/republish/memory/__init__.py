"""What a publisher remembers: arrays of a declared layout, values met so far, and the file that holds both."""

from ppdp_lab.republish.memory.file import FORMAT, read_memory, write_memory
from ppdp_lab.republish.memory.layout import (
    Stored,
    arrays_of,
    check_arrays,
    lengthen,
    renumber,
)
from ppdp_lab.republish.memory.remembered import Remembered, fresh_pseudonyms, stored_ids
from ppdp_lab.republish.memory.vocabulary import Renumbering, Vocabulary

__all__ = [
    "FORMAT",
    "Remembered",
    "Renumbering",
    "Stored",
    "Vocabulary",
    "arrays_of",
    "check_arrays",
    "fresh_pseudonyms",
    "lengthen",
    "read_memory",
    "renumber",
    "stored_ids",
    "write_memory",
]
