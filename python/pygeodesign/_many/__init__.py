"""Many projects at once: one archive of all of them, queries over it, and work across many machines."""
