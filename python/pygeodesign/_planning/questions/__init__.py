"""The questions of a comparison, a file each: what is asked, its answer, its picture, its section of the report."""
