"""The explorers, one file each."""
