"""``python -m ppdp_lab.cli``."""

from ppdp_lab.cli.base import main

main()
