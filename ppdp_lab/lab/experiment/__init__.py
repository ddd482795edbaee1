"""Experiment files: what they say, how they are read, where they are found."""
