"""What `pygeodesign.plots` draws: charts and maps, with the theme, units and texts that they share."""
