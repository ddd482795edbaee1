"""Figures of comparisons that go over whole registries."""
