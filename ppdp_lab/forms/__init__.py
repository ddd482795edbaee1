"""How a release is shown: one file per form, and what metrics and attacks may ask of any of them."""

from ppdp_lab.forms.anatomized import Anatomized
from ppdp_lab.forms.base import FORMS, CountQueries, Feature, Holders, Parts, Published, Tables, readable_by
from ppdp_lab.forms.counterfeits import Counterfeits
from ppdp_lab.forms.generalized import Generalized
from ppdp_lab.forms.rows import PublishedRows

__all__ = [
    "FORMS",
    "Anatomized",
    "CountQueries",
    "Counterfeits",
    "Feature",
    "Generalized",
    "Holders",
    "Parts",
    "Published",
    "PublishedRows",
    "Tables",
    "readable_by",
]
