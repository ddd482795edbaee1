"""What can be swept: functions, built-in ones by name, and notebooks."""

from ppdp_lab.lab.sweeping.functions.base import Swept, tables_of
from ppdp_lab.lab.sweeping.functions.finding import what_is_swept

__all__ = ["Swept", "tables_of", "what_is_swept"]
