"""How experiments measure: one module per experiment, the longer part of its notebook."""
