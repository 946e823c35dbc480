"""The report of a comparison: a page that needs nothing else."""
