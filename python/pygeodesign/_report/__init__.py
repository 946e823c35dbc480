"""The report of a comparison: a self-contained page."""
