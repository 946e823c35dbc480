"""The one reader of files from others: for uploads, measures, maps, and external diagrams.

`table.read_file` returns the rows of a file in WGS 84, with a reason for each row that cannot be read. GeoJSON is read
in this process, by our own code. Every other format is read by libraries that a file may crash or keep busy forever, so
`child` runs them in its own process, with limits and a deadline. There `source` detects the format
and makes an isolated copy, a module per kind of format reads it, and `values` and `crs` convert attributes and
coordinates to JSON and GeoJSON.
"""
