"""How answers are shown in a report: figures in words and tables, charts, small maps."""
