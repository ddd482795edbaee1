"""Comparisons that go over whole registries: every publisher or anonymizer, every attack, every cost."""
