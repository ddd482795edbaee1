"""One kind of register for every family, and the plain form of what stands in it.

Principles, metrics, attacks, anonymizers, publishers, forms and data sets each have a :class:`Registry`. It says what
there is, under which name, made with which parameters, what each member accepts and promises, and which paper it comes
from; whatever lists or compares members (the command line, sweeps, tests) reads it.

Members that are made with parameters derive from :class:`Plain`: they can be written down as a name and parameters
(JSON, or text such as ``KAnonymity(5) & DistinctLDiversity(3)``) and come back from either.
"""

from ppdp_lab.registry.families import FAMILIES, Entry, Registry, key_of
from ppdp_lab.registry.parameters import REQUIRED, OneOf, Parameter, Seed, Within, arguments_of, enforce, parameters_of
from ppdp_lab.registry.plain import Plain, from_plain, make, parse, to_json, written

__all__ = [
    "FAMILIES",
    "REQUIRED",
    "Entry",
    "OneOf",
    "Parameter",
    "Plain",
    "Registry",
    "Seed",
    "Within",
    "arguments_of",
    "enforce",
    "from_plain",
    "key_of",
    "make",
    "parameters_of",
    "parse",
    "to_json",
    "written",
]
