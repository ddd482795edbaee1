"""What an attack hands back, and pictures of it."""

from ppdp_lab.attacks.results.base import AttackResult, Disclosure, plural

__all__ = ["AttackResult", "Disclosure", "plural"]
