"""The papers' worked examples, one module per paper, each table or figure a function.

Where a paper contradicts itself, the printed values are given and the function's docstring says what a calculation
gives. Text and numbers are as printed, column names in small letters, ranges in this package's notation.

>>> load("speedy.table_1")
<Microdata of 9 records: birthplace, birth year, zipcode | disease (worked example, Table 1 of Chatzopoulos, 2015)>
>>> names("bpg")
['bpg.table_1', 'bpg.table_2', 'bpg.table_3']
"""

from ppdp_lab.datasets.examples import bpg, equivalence, i3m, mdistinct, speedy
from ppdp_lab.datasets.examples.forms import ExampleRelease, Transactions
from ppdp_lab.datasets.examples.register import load, names

__all__ = ["ExampleRelease", "Transactions", "bpg", "equivalence", "i3m", "load", "mdistinct", "names", "speedy"]
