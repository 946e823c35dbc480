"""A made-up town on the coast of Staten Island, as an extract of OpenStreetMap (.osm)."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

# Of the box of the extract: west, south, east, north.
BOX = (-74.20, 40.50, -74.10, 40.60)


class Extract:
    """Nodes, ways and relations with tags, which are numbered as they are added."""

    def __init__(self) -> None:
        self.lines: dict[str, list[str]] = {"node": [], "way": [], "relation": []}
        self.count = 0

    def add(self, kind: str, tags: dict[str, str], more: str = "", content: str = "") -> int:
        self.count += 1
        marks = "".join(f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in tags.items())
        self.lines[kind].append(f'<{kind} id="{self.count}" version="1"{more}>{content}{marks}</{kind}>')
        return self.count

    def point(self, lon: float, lat: float, **tags: str) -> int:
        return self.add("node", tags, f' lon="{lon:.6f}" lat="{lat:.6f}"')

    def line(self, *corners: tuple[float, float], **tags: str) -> int:
        return self._way([self.point(*corner) for corner in corners], tags)

    def area(self, west: float, south: float, east: float, north: float, **tags: str) -> int:
        corners = [self.point(*c) for c in ((west, south), (east, south), (east, north), (west, north))]
        return self._way([*corners, corners[0]], tags)

    def _way(self, nodes: list[int], tags: dict[str, str]) -> int:
        return self.add("way", tags, content="".join(f'<nd ref="{node}"/>' for node in nodes))

    def write(self, path: Path) -> Path:
        west, south, east, north = BOX
        bounds = f'<bounds minlat="{south}" minlon="{west}" maxlat="{north}" maxlon="{east}"/>'
        content = "\n".join(line for lines in self.lines.values() for line in lines)
        path.write_text(f'<?xml version="1.0"?>\n<osm version="0.6">\n{bounds}\n{content}\n</osm>\n', encoding="utf-8")
        return path


def write_town(path: Path) -> Path:
    """A coast with the sea in the south, a lake, a park, streets with houses, a railway, a border and names."""
    town = Extract()
    # Land is on the left of a coast.
    coast = ((-74.21, 40.52), (-74.17, 40.53), (-74.15, 40.515), (-74.12, 40.535), (-74.09, 40.53))
    town.line(*coast, natural="coastline")
    town.area(-74.175, 40.575, -74.165, 40.585, natural="water", name="Lake")
    town.area(-74.15, 40.57, -74.13, 40.59, leisure="park", name="Park")
    town.area(-74.195, 40.57, -74.185, 40.59, landuse="forest")
    town.area(-74.19, 40.545, -74.18, 40.555, landuse="industrial")
    town.line((-74.20, 40.56), (-74.10, 40.56), highway="motorway", name="Coast Highway")
    town.line((-74.16, 40.54), (-74.16, 40.60), highway="secondary", name="Main Street")
    town.line((-74.20, 40.595), (-74.10, 40.565), railway="rail")
    town.line((-74.12, 40.60), (-74.125, 40.53), waterway="river", name="Brook")
    town.line((-74.20, 40.54), (-74.10, 40.545), boundary="administrative", admin_level="6")
    for street in range(6):
        lat = 40.562 + street * 0.002
        town.line((-74.16, lat), (-74.15, lat), highway="residential", name=f"Street {street}")
        for house in range(8):
            lon = -74.159 + house * 0.001
            town.area(lon, lat + 0.0005, lon + 0.0005, lat + 0.001, building="house")
    town.point(-74.155, 40.567, place="town", name="Seaside", population="12000")
    town.point(-74.188, 40.583, place="suburb", name="Woods")
    return town.write(path)
