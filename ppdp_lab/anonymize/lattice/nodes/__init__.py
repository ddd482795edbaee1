"""The nodes of the lattice: what is known of them, in which order they are preferred, and what a search has found."""

from ppdp_lab.anonymize.lattice.nodes.lattice import FAILS, HOLDS, Lattice, Node
from ppdp_lab.anonymize.lattice.nodes.result import SearchResult

__all__ = ["FAILS", "HOLDS", "Lattice", "Node", "SearchResult"]
