"""What can be swept: functions, built-in ones by name, and notebooks; ``finding`` tells which."""

from ppdp_lab.lab.sweeping.functions.base import Swept, tables_of

__all__ = ["Swept", "tables_of"]
