"""Alternatives that users would choose, installed as their authors recommend and used as in their documentation.

A peer is one file. It imports its modules only when it is used, so that the benchmarks can name everything missing
before they compare anything.
"""
