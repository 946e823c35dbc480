"""Land under diagrams and maps: overlaps and hectares."""
