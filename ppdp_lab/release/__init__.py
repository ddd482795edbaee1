"""Release: what an anonymizer made, on the holder's side. Published: what an adversary sees of it."""

from ppdp_lab.release.anatomized import Anatomized
from ppdp_lab.release.forms import (
    FORMS,
    Counterfeits,
    CountQueries,
    Feature,
    Holders,
    Parts,
    Published,
    PublishedRows,
    Tables,
    readable_by,
)
from ppdp_lab.release.generalized import Generalized
from ppdp_lab.release.pictures import box_frame
from ppdp_lab.release.release import Release

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
    "Release",
    "Tables",
    "box_frame",
    "readable_by",
]
