"""Many projects at once. For the extra `many`; `map_projects` on a cluster needs the extra `dask`.

`Client.archive_all` writes an archive of many projects, `read_archive` reads it, and `map_projects` calls a function
with each project:

    >>> import pygeodesign
    >>> with pygeodesign.Sandbox() as sandbox:
    ...     report = sandbox.client().archive_all("archive")
    >>> projects = pygeodesign.read_archive("archive")
    >>> projects.costs()["cost"].sum().round()
    np.float64(13123277700.0)
    >>> titles = pygeodesign.map_projects(lambda project: project.info()["projecttitle"], projects)
    >>> titles["StatenIsland2050"]
    'Staten Island 2050'
"""

from pygeodesign._functions import map_projects, read_archive
from pygeodesign._many.read_archive import ProjectsArchive
from pygeodesign._project_results import ProjectResults

__all__ = ["ProjectResults", "ProjectsArchive", "map_projects", "read_archive"]

# The public module, for users and pickle.
ProjectsArchive.__module__ = __name__
