"""Judging claims: the points that a claim is about, the test of its kind, the verdict."""
