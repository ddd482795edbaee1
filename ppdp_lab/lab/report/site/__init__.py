"""The pages: what the documentation site shows, made from registries, docstrings, notebooks and the scorecard."""
