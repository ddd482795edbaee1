"""One release: static anonymizers."""

from ppdp_lab.anonymize.anatomy import Anatomy
from ppdp_lab.anonymize.base import Anonymizer
from ppdp_lab.anonymize.kmember import KMember
from ppdp_lab.anonymize.lattice import Flash, Incognito, Samarati, SearchResult, SmallestClasses, Speedy
from ppdp_lab.anonymize.mondrian import Mondrian

# What `ppdp-lab anonymize --algorithm` knows: a class whose first parameter is a rule, or the k or l of its own rule.
ALGORITHMS: dict[str, type[Anonymizer]] = {
    "mondrian": Mondrian,
    "anatomy": Anatomy,
    "kmember": KMember,
    "samarati": Samarati,
    "incognito": Incognito,
    "flash": Flash,
    "speedy": Speedy,
}

__all__ = [
    "ALGORITHMS",
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
