"""The questions of a comparison, one file each: the question, its answer, its picture, its section of the report."""
