"""The members of the registries: which notebooks use each, which claims are about it, and how these were judged."""
