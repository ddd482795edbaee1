"""Full-domain search: all values of a quasi-identifier are generalized to one level of its hierarchy."""

from ppdp_lab.anonymize.lattice.base import LatticeSearch
from ppdp_lab.anonymize.lattice.flash import Flash
from ppdp_lab.anonymize.lattice.incognito import Incognito
from ppdp_lab.anonymize.lattice.lattice import Lattice, SearchResult
from ppdp_lab.anonymize.lattice.samarati import Samarati
from ppdp_lab.anonymize.lattice.smallest import SmallestClasses
from ppdp_lab.anonymize.lattice.speedy import Speedy

__all__ = ["Flash", "Incognito", "Lattice", "LatticeSearch", "Samarati", "SearchResult", "SmallestClasses", "Speedy"]
