"""The one reader of files that somebody else made: to upload, to measure, as maps, and of external diagrams.

`table.read_file` returns the rows of a file in WGS 84, with a reason for each row that cannot be read. GeoJSON is read
in this process, by our own code. Every other format is read by libraries that a file may crash or keep busy forever, so
`child` runs them in a process of its own, which has limits and is ended in time. There `source` finds out what the file
is and copies it alone, a module per kind of format reads it, and `values` and `crs` turn attributes and coordinates
into what JSON and GeoJSON hold.
"""
