"""Methods of the classes of the extension module that are written in Python. `import pygeodesign` adds them."""

from pygeodesign._methods import client, cost_report, feature_collection, parts, project

__all__ = ["client", "cost_report", "feature_collection", "parts", "project"]
