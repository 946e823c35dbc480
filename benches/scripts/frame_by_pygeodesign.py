"""Prints how many features a project has, after it has made a GeoDataFrame of them.

python frame_by_pygeodesign.py URL TOKEN PROJECT
"""

import sys

import geopandas  # noqa: F401 (read before the project is, as a notebook does)

from pygeodesign import Client

url, token, project = sys.argv[1:]
print(len(Client(token, url).project(project).diagrams().to_geopandas()))
