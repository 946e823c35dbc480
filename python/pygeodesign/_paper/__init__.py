"""Answers in a report: figures in sentences and tables, charts, small maps."""
