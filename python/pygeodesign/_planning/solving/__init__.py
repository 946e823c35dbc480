"""Choices of diagrams under a budget: programmes, bounds and searches, independent of comparisons."""
