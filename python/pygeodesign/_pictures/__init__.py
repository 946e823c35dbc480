"""The charts and maps of `pygeodesign.plots`, with the theme, units and texts that they share."""
