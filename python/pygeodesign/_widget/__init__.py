"""A map in the cell of a notebook that follows its project, and is drawn on."""
