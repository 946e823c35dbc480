"""Choices of diagrams under a budget: programmes, bounds and searches, which know no comparison."""
