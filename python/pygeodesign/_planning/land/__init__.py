"""Land under diagrams and maps: what they share, and its hectares."""
