"""Many projects at once: an archive of all of them, questions over it, and work over many machines."""
