"""Prints the costs of a project's systems, and the seconds of each call to standard error.

python costs_by_pygeodesign.py URL TOKEN PROJECT CALLS
"""

import sys
import time

from pygeodesign import Client

url, token, project, calls = sys.argv[1:]
client = Client(token, url)
for _ in range(int(calls)):
    start = time.perf_counter()
    report = client.project(project).costs()
    for system in report.systems:
        print(system["name"], system["cost"], sep="\t")
    print(time.perf_counter() - start, file=sys.stderr)
