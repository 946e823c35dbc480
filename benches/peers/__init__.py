"""What users would choose instead, installed as its authors recommend and written as in its own documentation.

A peer is one file. It imports its modules only when it is used, so that the benchmarks can name all that is missing
before they compare anything.
"""
