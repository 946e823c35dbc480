"""A map in a notebook cell that follows its project and that you can draw on."""
