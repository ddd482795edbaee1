"""How figures are drawn: one module per experiment, one function ``draw(results) -> matplotlib Figure`` per figure.

They live apart from the notebooks so that a figure can be drawn again from a run's results without running it again.
"""
