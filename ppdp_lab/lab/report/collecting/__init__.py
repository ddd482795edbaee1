"""Finished runs put together for a reader: a folder with figures and scorecard, or one page."""
