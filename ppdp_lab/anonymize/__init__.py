"""One release: static anonymizers."""

from ppdp_lab.anonymize.anatomy import Anatomy
from ppdp_lab.anonymize.base import ANONYMIZERS, Anonymizer
from ppdp_lab.anonymize.kmember import KMember
from ppdp_lab.anonymize.lattice import Flash, Incognito, Samarati, SearchResult, SmallestClasses, Speedy
from ppdp_lab.anonymize.mondrian import Mondrian

ALGORITHMS = ANONYMIZERS  # what `ppdp-lab anonymize --algorithm` knows

__all__ = [
    "ALGORITHMS",
    "ANONYMIZERS",
    "Anatomy",
    "Anonymizer",
    "Flash",
    "Incognito",
    "KMember",
    "Mondrian",
    "Samarati",
    "SearchResult",
    "SmallestClasses",
    "Speedy",
]
