"""Pages for browsers: the map and the gallery of a project, each one HTML file that needs no network."""
