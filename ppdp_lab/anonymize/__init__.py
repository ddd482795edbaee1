"""One release: static anonymizers."""

from ppdp_lab.anonymize.anatomy import Anatomy
from ppdp_lab.anonymize.base import Anonymizer
from ppdp_lab.anonymize.mondrian import Mondrian

__all__ = ["Anatomy", "Anonymizer", "Mondrian"]
