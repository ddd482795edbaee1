"""``python -m ppdp_lab.cli``."""

from ppdp_lab.cli import main

main()
