"""The value equivalence attack: releases subtracted from each other tell which persons share their values.

From exact and small to bounded and large: :func:`minimum_equivalence` solves an integer program over the person and value
matrices (:class:`Correspondence`); :func:`chains` finds everybody who provably shares a value with somebody, and
:func:`exposed_by` what one leaked value then exposes; the :class:`BucketGraphs` of merged buckets bound every attack by a
cut; :func:`compromised` counts persons in series of any size, and says whether the count is exact.

References
----------
.. [1] Y. He, S. Barman, J. F. Naughton, "Preventing equivalence attacks in updated, anonymized data", ICDE 2011.
"""

from ppdp_lab.attacks.equivalence._min_cut import smallest_cuts
from ppdp_lab.attacks.equivalence.bucket_graphs import BucketGraphs
from ppdp_lab.attacks.equivalence.counting import Compromised, compromised, compromised_over_time
from ppdp_lab.attacks.equivalence.equalities import Chains, chains, equal_values
from ppdp_lab.attacks.equivalence.integer_program import exposed_by, minimum_equivalence
from ppdp_lab.attacks.equivalence.matrices import Correspondence, EquivalenceAttack, delta_weights, plain_weights
from ppdp_lab.attacks.equivalence.memberships import named_counterfeits, proportion_hashes, proportions

__all__ = [
    "BucketGraphs", "Chains", "Compromised", "Correspondence", "EquivalenceAttack", "chains", "compromised",
    "compromised_over_time", "delta_weights", "equal_values", "exposed_by", "minimum_equivalence",
    "named_counterfeits", "plain_weights", "proportion_hashes", "proportions", "smallest_cuts",
]  # fmt: skip
