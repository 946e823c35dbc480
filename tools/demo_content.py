"""The content of the demo project "Staten Island 2050" as plain data; `make_demo.py` generates the geometries.

The places and the agencies are real, the workshop and all proposals are fictional. Places and routes
are approximate; the generator moves geometries from the water to the land.
"""

from typing import Any, NamedTuple

LonLat = tuple[float, float]

PROJECT = {
    "id": "StatenIsland2050",
    "projecttitle": "Staten Island 2050",
    "projectdesc": (
        "A one-week geodesign workshop on the future of Staten Island: how 500,000 residents live "
        "with a rising harbor, where new neighborhoods and jobs go, and what stays green. "
        "Fictional – made for demonstrations and tests."
    ),
    "startdate": "2026-03-02",
    "projecttype": "free",
    "external_connection": "none",
}

PLANNERS = (
    "amara.okafor",
    "luca.moretti",
    "priya.raman",
    "jose.villanueva",
    "meiling.chen",
    "fatou.diallo",
    "dmitri.sokolov",
    "hannah.lindqvist",
    "yusuf.demir",
    "kalani.akana",
    "rosa.delgado",
    "tom.brennan",
)

STAKEHOLDERS = (
    "Borough President's Office",
    "NYC Department of City Planning",
    "NYC Department of Environmental Protection",
    "NYC Parks & the Freshkills Park Alliance",
    "MTA – Staten Island Railway and buses",
    "North Shore tenants' associations",
    "South Shore homeowners' associations",
    "Arthur Kill maritime employers",
)

PLUGINS = (
    "Coastal flood depth by return period",
    "Trip generation and bus ridership",
    "Canopy cover and summer heat",
)

# server type, layer type, URL, layer name, attribution, display name, additional metadata
LAYERS: tuple[tuple[str, str, str, str, str, str, dict[str, Any]], ...] = (
    (
        "geoserver",
        "WMS",
        "https://maps.example.org/geoserver/hazards/wms",
        "hazards:flood_2050_1pct",
        "Fictional flood model",
        "Flood zone 2050, 1 % annual chance",
        {"format": "image/png", "transparent": True},
    ),
    (
        "other",
        "XYZ",
        "https://tiles.example.org/landcover/{z}/{x}/{y}.png",
        "landcover",
        "Fictional land cover, 2024",
        "Land cover 2024",
        {"max_zoom": 17},
    ),
    (
        "esri",
        "esri-featurelayer",
        "https://gis.example.org/arcgis/rest/services/Zoning/FeatureServer/0",
        "zoning_districts",
        "Fictional zoning extract",
        "Zoning districts",
        {},
    ),
    (
        "mapserver",
        "WMS",
        "https://maps.example.org/cgi-bin/mapserv?map=transit",
        "frequent_transit",
        "Fictional transit plan",
        "Frequent transit – ten minutes or better",
        {},
    ),
)


class Tag(NamedTuple):
    """A tag for diagrams that have a word in their title with one of these beginnings."""

    name: str
    code: str
    words: tuple[str, ...] = ()


TAGS = (
    Tag("Climate adaptation", "CA", ("flood", "dune", "storm", "surge", "cool", "retreat", "raise")),
    Tag("Living shorelines", "LS", ("marsh", "tid", "oyster", "wetland", "breakwater", "beach")),
    Tag("Biodiversity", "BD", ("forest", "woods", "meadow", "habitat", "pond", "wild", "creek")),
    Tag("Food security", "FS", ("farm", "orchard", "gardens", "pasture", "grow", "food", "hay")),
    Tag("Clean energy", "CE", ("solar", "battery", "wind", "geothermal", "microgrid", "heat")),
    Tag("Public transit", "PT", ("brt", "bus", "rail", "ferry", "station", "transit")),
    Tag("Walking and cycling", "WC", ("greenway", "cycle", "path", "promenade", "trail", "mph")),
    Tag("Good jobs", "GJ", ("terminal", "logistics", "industrial", "workshop", "campus", "yard")),
    Tag("Affordable homes", "AH", ("affordable", "homes", "land trust", "apartments", "tenants")),
    Tag("Heritage", "HR", ("historic", "village", "heritage", "cottage", "mill", "main street")),
    Tag("Talk about it again", ""),
)


class System(NamedTuple):
    name: str
    tag: str
    color: str
    cost: int  # USD per hectare, or per kilometer of a line
    budget: int  # USD
    current_ha: int
    target_ha: int  # by 2050, by projects and policies
    about: str
    suitability: dict[str, str]  # by place: green (suitable for change), yellow (less), red (unsuitable)


SYSTEMS = (
    System(
        "Water",
        "WAT",
        "#2B7BBA",
        1_200_000,
        490_000_000,
        780,
        1_200,
        "Bluebelts, tidal wetlands, storm sewers and the defenses against coastal flooding.",
        {
            "Oakwood Beach": "green",
            "Midland Beach": "green",
            "Saw Mill Creek": "green",
            "Lemon Creek": "green",
            "LaTourette": "yellow",
            "Freshkills Park": "yellow",
            "Willowbrook": "yellow",
            "Todt Hill": "red",
            "St. George": "red",
            "Huguenot": "yellow",
        },
    ),
    System(
        "Agriculture",
        "AGR",
        "#A8842C",
        110_000,
        42_000_000,
        25,
        1_300,
        "Community farms, orchards, greenhouses, oyster gardens and the markets they feed.",
        {
            "Sea View": "green",
            "Mount Loretto": "green",
            "Charleston": "green",
            "Travis": "yellow",
            "Willowbrook": "yellow",
            "Port Richmond": "yellow",
            "Freshkills Park": "yellow",
            "New Dorp": "red",
            "Stapleton": "red",
        },
    ),
    System(
        "Green infrastructure",
        "GRN",
        "#3C9D4E",
        620_000,
        330_000_000,
        4_150,
        5_150,
        "Parks, woods, street trees and the greenways which tie the Greenbelt to the shore.",
        {
            "Freshkills Park": "green",
            "High Rock": "green",
            "Wolfe's Pond": "green",
            "Great Kills Park": "green",
            "Clove Lakes": "yellow",
            "Bloomfield": "yellow",
            "Rossville": "yellow",
            "Mariners Harbor": "red",
            "Grant City": "red",
        },
    ),
    System(
        "Energy",
        "ENE",
        "#F5B800",
        1_500_000,
        680_000_000,
        90,
        440,
        "Solar and storage, offshore wind landings, district heat and a grid built for storms.",
        {
            "Freshkills Park": "green",
            "Arlington": "green",
            "Rossville": "green",
            "Bloomfield": "yellow",
            "Stapleton": "yellow",
            "Charleston": "yellow",
            "High Rock": "red",
            "Tottenville": "red",
        },
    ),
    System(
        "Transport",
        "TRA",
        "#4A4E57",
        22_000_000,
        3_300_000_000,
        1_950,
        2_450,
        "Rail, bus rapid transit, ferries, streets and paths; priced by the kilometer.",
        {
            "St. George": "green",
            "Port Richmond": "green",
            "New Springville": "green",
            "Great Kills": "yellow",
            "Grasmere": "green",
            "Travis": "yellow",
            "Huguenot": "yellow",
            "High Rock": "red",
        },
    ),
    System(
        "Industry & commerce",
        "IND",
        "#8E5BA6",
        5_200_000,
        1_450_000_000,
        1_120,
        1_630,
        "The working waterfront, logistics, workshops, offices and borough-scale retail.",
        {
            "Howland Hook": "green",
            "Bloomfield": "green",
            "Charleston": "green",
            "Stapleton": "yellow",
            "New Springville": "yellow",
            "Rossville": "yellow",
            "Todt Hill": "red",
            "Great Kills Park": "red",
            "Mount Loretto": "red",
        },
    ),
    System(
        "Mixed use",
        "MIX",
        "#F07F2E",
        14_000_000,
        1_650_000_000,
        310,
        580,
        "Town centers where homes, shops, schools and workplaces share the block.",
        {
            "St. George": "green",
            "Port Richmond": "green",
            "New Dorp": "green",
            "New Springville": "yellow",
            "Eltingville": "yellow",
            "Castleton Corners": "yellow",
            "Midland Beach": "red",
            "LaTourette": "red",
        },
    ),
    System(
        "Low-density housing",
        "LDH",
        "#F2A091",
        4_800_000,
        1_350_000_000,
        4_520,
        4_860,
        "Houses, rowhouses and accessory homes, mostly in the middle and on the South Shore.",
        {
            "Rossville": "green",
            "Arden Heights": "green",
            "Westerleigh": "yellow",
            "Bay Terrace": "yellow",
            "Richmond Valley": "green",
            "Oakwood Beach": "red",
            "South Beach": "red",
            "Freshkills Park": "red",
            "Emerson Hill": "yellow",
            "Saw Mill Creek": "red",
        },
    ),
    System(
        "High-density housing",
        "HDH",
        "#8C2A2A",
        29_000_000,
        4_000_000_000,
        240,
        1_000,
        "Apartment buildings of five floors and more, next to stations and ferries.",
        {
            "St. George": "green",
            "Clifton": "green",
            "Mariners Harbor": "yellow",
            "West Brighton": "yellow",
            "Grant City": "yellow",
            "Bulls Head": "yellow",
            "Great Kills": "red",
            "Woodrow": "red",
            "High Rock": "red",
        },
    ),
)

PLACES: dict[str, LonLat] = {
    "Annadale": (-74.1780, 40.5400),
    "Arden Heights": (-74.1850, 40.5570),
    "Arlington": (-74.1690, 40.6350),
    "Bay Terrace": (-74.1370, 40.5560),
    "Bloomfield": (-74.1830, 40.6120),
    "Blue Heron Park": (-74.1750, 40.5310),
    "Bulls Head": (-74.1600, 40.6080),
    "Castleton Corners": (-74.1230, 40.6130),
    "Charleston": (-74.2340, 40.5340),
    "Clifton": (-74.0730, 40.6190),
    "Clove Lakes": (-74.1120, 40.6190),
    "College of Staten Island": (-74.1490, 40.6020),
    "Concord": (-74.0860, 40.6060),
    "Conference House": (-74.2500, 40.5030),
    "Dongan Hills": (-74.0950, 40.5890),
    "Elm Park": (-74.1420, 40.6320),
    "Eltingville": (-74.1640, 40.5450),
    "Emerson Hill": (-74.0970, 40.6050),
    "Fort Wadsworth": (-74.0580, 40.6050),
    "Freshkills East Mound": (-74.1740, 40.5740),
    "Freshkills North Mound": (-74.1880, 40.5860),
    "Freshkills Park": (-74.1890, 40.5760),
    "Freshkills South Mound": (-74.1810, 40.5640),
    "Freshkills West Mound": (-74.2020, 40.5700),
    "Goethals": (-74.1930, 40.6260),
    "Graniteville": (-74.1570, 40.6220),
    "Grant City": (-74.1050, 40.5810),
    "Grasmere": (-74.0840, 40.6030),
    "Great Kills": (-74.1515, 40.5520),
    "Great Kills Harbor": (-74.1440, 40.5430),
    "Great Kills Park": (-74.1240, 40.5480),
    "Grymes Hill": (-74.0930, 40.6150),
    "High Rock": (-74.1230, 40.5840),
    "Howland Hook": (-74.1830, 40.6390),
    "Huguenot": (-74.1920, 40.5340),
    "Kreischerville": (-74.2390, 40.5380),
    "LaTourette": (-74.1500, 40.5760),
    "Lemon Creek": (-74.2010, 40.5190),
    "Lighthouse Hill": (-74.1380, 40.5770),
    "Mariners Harbor": (-74.1580, 40.6340),
    "Midland Beach": (-74.0920, 40.5720),
    "Mount Loretto": (-74.2190, 40.5090),
    "New Brighton": (-74.0930, 40.6420),
    "New Dorp": (-74.1170, 40.5735),
    "New Dorp Beach": (-74.1040, 40.5660),
    "New Springville": (-74.1620, 40.5890),
    "Oakwood": (-74.1270, 40.5650),
    "Oakwood Beach": (-74.1160, 40.5560),
    "Ocean Breeze": (-74.0790, 40.5830),
    "Old Place Creek": (-74.1930, 40.6210),
    "Outerbridge": (-74.2380, 40.5260),
    "Pleasant Plains": (-74.2170, 40.5230),
    "Port Richmond": (-74.1330, 40.6370),
    "Prince's Bay": (-74.2030, 40.5260),
    "Richmond Valley": (-74.2290, 40.5190),
    "Richmondtown": (-74.1460, 40.5710),
    "Rosebank": (-74.0680, 40.6130),
    "Rossville": (-74.2090, 40.5490),
    "Rossville Yards": (-74.2220, 40.5510),
    "Saw Mill Creek": (-74.1910, 40.6070),
    "Sea View": (-74.1360, 40.5890),
    "Silver Lake": (-74.0930, 40.6250),
    "Snug Harbor": (-74.1020, 40.6420),
    "South Beach": (-74.0720, 40.5920),
    "St. George": (-74.0770, 40.6430),
    "Staten Island Mall": (-74.1660, 40.5815),
    "Stapleton": (-74.0780, 40.6270),
    "Teleport": (-74.1770, 40.6050),
    "Todt Hill": (-74.1080, 40.5970),
    "Tompkinsville": (-74.0780, 40.6350),
    "Tottenville": (-74.2430, 40.5090),
    "Travis": (-74.1930, 40.5930),
    "West Brighton": (-74.1110, 40.6340),
    "Westerleigh": (-74.1390, 40.6200),
    "Willowbrook": (-74.1390, 40.6030),
    "Wolfe's Pond": (-74.1910, 40.5210),
    "Woodrow": (-74.2000, 40.5420),
}

ROUTES: dict[str, tuple[LonLat, ...]] = {
    "North Shore Branch": (
        (-74.0755, 40.6425),
        (-74.0850, 40.6455),
        (-74.1020, 40.6440),
        (-74.1150, 40.6385),
        (-74.1300, 40.6385),
        (-74.1450, 40.6355),
        (-74.1570, 40.6355),
        (-74.1700, 40.6360),
        (-74.1830, 40.6330),
    ),
    "Richmond Terrace": (
        (-74.0765, 40.6455),
        (-74.0860, 40.6472),
        (-74.1010, 40.6446),
        (-74.1180, 40.6405),
        (-74.1330, 40.6395),
        (-74.1480, 40.6373),
        (-74.1650, 40.6385),
        (-74.1790, 40.6400),
    ),
    "Hylan Boulevard": (
        (-74.0650, 40.6125),
        (-74.0720, 40.6030),
        (-74.0840, 40.5905),
        (-74.1000, 40.5780),
        (-74.1120, 40.5680),
        (-74.1300, 40.5570),
        (-74.1470, 40.5490),
        (-74.1600, 40.5400),
        (-74.1780, 40.5310),
        (-74.1950, 40.5240),
        (-74.2150, 40.5130),
        (-74.2350, 40.5040),
        (-74.2470, 40.5020),
    ),
    "West Shore Expressway": (
        (-74.2390, 40.5270),
        (-74.2270, 40.5390),
        (-74.2090, 40.5530),
        (-74.1990, 40.5650),
        (-74.1970, 40.5800),
        (-74.1930, 40.5950),
        (-74.1890, 40.6080),
        (-74.1850, 40.6200),
        (-74.1830, 40.6330),
    ),
    "West Shore light rail": (
        (-74.2290, 40.5200),
        (-74.2190, 40.5330),
        (-74.2010, 40.5490),
        (-74.1920, 40.5650),
        (-74.1880, 40.5880),
        (-74.1820, 40.6030),
        (-74.1770, 40.6150),
        (-74.1650, 40.6250),
        (-74.1520, 40.6340),
    ),
    "Victory Boulevard": (
        (-74.0770, 40.6380),
        (-74.0870, 40.6290),
        (-74.1020, 40.6170),
        (-74.1180, 40.6130),
        (-74.1350, 40.6110),
        (-74.1500, 40.6090),
        (-74.1620, 40.6060),
        (-74.1780, 40.5960),
        (-74.1930, 40.5920),
    ),
    "Richmond Avenue": (
        (-74.1450, 40.6330),
        (-74.1540, 40.6200),
        (-74.1620, 40.6060),
        (-74.1640, 40.5900),
        (-74.1665, 40.5770),
        (-74.1685, 40.5600),
        (-74.1650, 40.5450),
        (-74.1570, 40.5370),
    ),
    "Forest Avenue": (
        (-74.0940, 40.6270),
        (-74.1100, 40.6275),
        (-74.1300, 40.6245),
        (-74.1500, 40.6240),
        (-74.1700, 40.6260),
        (-74.1820, 40.6280),
    ),
    "Staten Island Railway": (
        (-74.0760, 40.6430),
        (-74.0765, 40.6275),
        (-74.0730, 40.6190),
        (-74.0840, 40.6030),
        (-74.0960, 40.5890),
        (-74.1170, 40.5735),
        (-74.1370, 40.5570),
        (-74.1515, 40.5515),
        (-74.1640, 40.5445),
        (-74.1780, 40.5405),
        (-74.1920, 40.5335),
        (-74.2020, 40.5255),
        (-74.2290, 40.5195),
        (-74.2500, 40.5125),
    ),
    "Staten Island Expressway": (
        (-74.0610, 40.6060),
        (-74.0850, 40.6085),
        (-74.1000, 40.6095),
        (-74.1180, 40.6085),
        (-74.1400, 40.6130),
        (-74.1600, 40.6190),
        (-74.1860, 40.6270),
    ),
    "Korean War Veterans Parkway": (
        (-74.1700, 40.5620),
        (-74.1850, 40.5500),
        (-74.2000, 40.5405),
        (-74.2150, 40.5300),
        (-74.2340, 40.5240),
    ),
    "Arthur Kill Road": (
        (-74.1460, 40.5710),
        (-74.1620, 40.5620),
        (-74.1800, 40.5570),
        (-74.2000, 40.5530),
        (-74.2130, 40.5510),
        (-74.2280, 40.5440),
        (-74.2390, 40.5350),
        (-74.2390, 40.5220),
        (-74.2480, 40.5130),
    ),
    "Bay Street": (
        (-74.0755, 40.6430),
        (-74.0760, 40.6350),
        (-74.0760, 40.6270),
        (-74.0715, 40.6190),
        (-74.0650, 40.6120),
        (-74.0580, 40.6050),
    ),
    "East Shore": (
        (-74.0560, 40.6010),
        (-74.0680, 40.5880),
        (-74.0830, 40.5750),
        (-74.0970, 40.5640),
        (-74.1090, 40.5560),
        (-74.1210, 40.5490),
        (-74.1280, 40.5410),
    ),
    "South Shore": (
        (-74.1480, 40.5440),
        (-74.1620, 40.5330),
        (-74.1750, 40.5270),
        (-74.1910, 40.5195),
        (-74.2040, 40.5160),
        (-74.2180, 40.5070),
        (-74.2400, 40.5015),
    ),
    "Greenbelt spine": (
        (-74.1120, 40.6190),
        (-74.1080, 40.6060),
        (-74.1130, 40.5960),
        (-74.1230, 40.5850),
        (-74.1360, 40.5790),
        (-74.1480, 40.5750),
        (-74.1600, 40.5690),
        (-74.1780, 40.5700),
    ),
    "New Dorp Lane and Rockland Avenue": (
        (-74.0990, 40.5660),
        (-74.1170, 40.5735),
        (-74.1300, 40.5800),
        (-74.1450, 40.5850),
        (-74.1620, 40.5870),
        (-74.1780, 40.5920),
        (-74.1930, 40.5940),
    ),
    "Freshkills crossing": (
        (-74.1660, 40.5790),
        (-74.1760, 40.5780),
        (-74.1850, 40.5740),
        (-74.1960, 40.5740),
        (-74.2050, 40.5700),
    ),
    "Richmond Creek": (
        (-74.1270, 40.5870),
        (-74.1390, 40.5750),
        (-74.1530, 40.5690),
        (-74.1700, 40.5710),
    ),
    "New Creek": (
        (-74.1010, 40.5880),
        (-74.0940, 40.5830),
        (-74.0860, 40.5800),
        (-74.0790, 40.5770),
    ),
    "Lemon Creek": (
        (-74.2010, 40.5380),
        (-74.2035, 40.5300),
        (-74.2005, 40.5220),
        (-74.2020, 40.5160),
    ),
    "Midland trunk sewer": (
        (-74.1150, 40.5790),
        (-74.1060, 40.5740),
        (-74.0990, 40.5720),
        (-74.0910, 40.5690),
    ),
    "Harbor cable": (
        (-74.0570, 40.6020),
        (-74.0720, 40.6080),
        (-74.0900, 40.6120),
        (-74.1140, 40.6160),
        (-74.1400, 40.6150),
        (-74.1620, 40.6170),
        (-74.1880, 40.6230),
    ),
    "Arthur Kill cable": (
        (-74.2180, 40.5500),
        (-74.2070, 40.5590),
        (-74.2040, 40.5750),
        (-74.1990, 40.5900),
        (-74.1930, 40.6050),
        (-74.1920, 40.6220),
        (-74.1850, 40.6370),
    ),
}


class Sketch(NamedTuple):
    """The description of a diagram, from which `make_demo.py` generates its geometries."""

    title: str
    where: str  # a key of PLACES
    hectares: float = 0.0
    form: str = "blob"  # blob, block (follows streets), shore (follows the water), none
    policy: bool = False
    parts: int = 1  # number of separate areas near the place
    hole: bool = False  # with a hole in each area
    multi: bool = False  # one MultiPolygon or MultiLineString instead of several features
    route: str = ""  # a key of ROUTES, for a line along this route
    span: tuple[float, float] = (0.0, 1.0)  # start and end of the line, as fractions of the route
    legs: int = 1  # number of separate lines
    total: int = 0  # USD, a cost override of type "total"
    rate: int = 0  # USD per hectare or kilometer, a cost override
    lead: str = ""  # the agency in charge
    note: str = ""


def project(title: str, where: str, hectares: float = 0.0, form: str = "blob", **more: Any) -> Sketch:
    return Sketch(title, where, hectares, form, **more)


def policy(title: str, where: str, hectares: float, **more: Any) -> Sketch:
    return Sketch(title, where, hectares, policy=True, **more)


def corridor(title: str, route: str, start: float = 0.0, end: float = 1.0, where: str = "", **more: Any) -> Sketch:
    return Sketch(title, where, route=route, span=(start, end), **more)


DEP, PARKS, DOT, MTA, EDC, HPD = "NYC DEP", "NYC Parks", "NYC DOT", "MTA", "NYCEDC", "NYC HPD"

WATER = (
    project(
        "Oakwood Beach tidal marsh restoration",
        "Oakwood Beach",
        58,
        hole=True,
        lead=DEP,
        note="Builds on the buyout of 2013; the treatment plant in the middle stays dry.",
    ),
    project("Midland Beach stormwater ponds", "Midland Beach", 24, parts=3, lead=DEP),
    project(
        "South Beach dune and seawall",
        "South Beach",
        22,
        "shore",
        rate=6_800_000,
        lead="USACE",
        note="Sand over a buried wall, boardwalk on top.",
    ),
    project("Ocean Breeze freshwater wetland", "Ocean Breeze", 31, parts=2, lead=DEP),
    project("New Dorp Beach surge berm", "New Dorp Beach", 14, "shore"),
    project("Great Kills Harbor tidal terrace", "Great Kills Harbor", 9, "shore"),
    corridor(
        "New Creek bluebelt, last reach to the sea",
        "New Creek",
        lead=DEP,
        note="Daylight the culvert under Father Capodanno Boulevard first.",
    ),
    corridor("Richmond Creek bluebelt weirs", "Richmond Creek", legs=2, multi=True, lead=DEP),
    corridor(
        "Lemon Creek bluebelt with headwater pond",
        "Lemon Creek",
        where="Woodrow",
        hectares=6,
    ),
    corridor("Midland Avenue trunk storm sewer", "Midland trunk sewer", total=48_500_000, lead=DEP),
    project("Saw Mill Creek salt marsh bank", "Saw Mill Creek", 46, lead=DEP, parts=2, multi=True),
    project("Old Place Creek tidal channel", "Old Place Creek", 18, total=16_000_000),
    project("Wolfe's Pond breakwater and living shore", "Wolfe's Pond", 12, "shore"),
    project("Willowbrook Lake storage", "Willowbrook", 8),
    project(
        "Rain gardens wherever the flood model ponds",
        "Midland Beach",
        form="none",
        note="Cells deeper than 15 cm in a ten-year storm; read straight from the model's raster.",
    ),
    policy(
        "Managed retreat: buyout on the East Shore",
        "New Dorp Beach",
        240,
        total=180_000_000,
        lead="NYC Mayor's Office of Climate",
        note="Voluntary, block by block; no street is left with one house on it.",
    ),
    policy("Raise every boiler above the flood level", "Ocean Breeze", 190),
    policy("No new basements below the 2050 tide", "South Beach", 130),
    policy("Rain fee by paved area, New Springville pilot", "New Springville", 310),
    policy("Septic to sewer on the South Shore", "Pleasant Plains", 280),
)

AGRICULTURE = (
    project("Sea View hospital farm colony", "Sea View", 17, hole=True, note="Barns come back."),
    project("Mount Loretto pasture and orchard", "Mount Loretto", 28),
    project("Decker Farm expansion at Richmondtown", "Richmondtown", 7, lead="Historic Richmond Town"),
    project("Charleston nursery and greenhouse cluster", "Charleston", 13, "block", rate=650_000),
    project("Travis hayfields", "Travis", 12, parts=2),
    project("Snug Harbor heritage farm", "Snug Harbor", 3.5),
    project("Port Richmond rooftop gardens", "Port Richmond", 4, "block", parts=4, total=5_200_000),
    project("Freshkills East Mound grazing meadow", "Freshkills East Mound", 40, lead=PARKS),
    project("Prince's Bay oyster gardens, landing and nursery", "Lemon Creek", 4, total=2_400_000),
    project("College of Staten Island teaching farm", "College of Staten Island", 9),
    project("Mariners Harbor growing lots", "Mariners Harbor", 3, "block", parts=3, multi=True),
    project("Rossville orchard terraces", "Rossville", 15, parts=3),
    policy("Right to farm on vacant lots, North Shore", "West Brighton", 260),
    policy("Local food in every school kitchen", "Castleton Corners", 330),
    policy("Lease public land for beginning farmers", "Arden Heights", 140),
    policy("Beekeeping and hen ordinance – South Shore", "Annadale", 220),
)

GREEN = (
    project(
        "Freshkills North Mound grassland",
        "Freshkills North Mound",
        96,
        lead=PARKS,
        note="The grasshopper sparrows were here first: no paths in the nesting core.",
        hole=True,
    ),
    project("Freshkills South Mound sports meadows", "Freshkills South Mound", 62),
    project("Freshkills West Mound memorial woods", "Freshkills West Mound", 74, lead=PARKS),
    project("High Rock forest understory recovery", "High Rock", 85, rate=90_000, lead=PARKS),
    project("LaTourette meadow and kettle ponds", "LaTourette", 70, parts=2, multi=True),
    project("Todt Hill serpentine barrens habitat", "Todt Hill", 26),
    project(
        "Great Kills Park maritime forest",
        "Great Kills Park",
        44,
        parts=2,
        lead="National Park Service",
    ),
    project("Conference House shore woods", "Conference House", 21),
    project("Clove Lakes canopy renewal", "Clove Lakes", 30, parts=2),
    project("Silver Lake heat refuge", "Silver Lake", 19, total=9_500_000),
    project("Stapleton waterfront park, second half", "Stapleton", 5, "shore", rate=4_100_000),
    project("Bloomfield cooling woods", "Bloomfield", 34),
    project("Blue Heron pond buffer", "Blue Heron Park", 16),
    project("Mount Loretto bluffs preserve", "Mount Loretto", 33, "shore"),
    project("Graniteville swamp forest", "Graniteville", 12, note="The last 12 ha – keep them wet."),
    project("Port Richmond pocket parks", "Port Richmond", 3, "block", parts=4),
    corridor("Greenbelt to Freshkills wildlife crossing", "Greenbelt spine", 0.55, 1.0, lead=PARKS),
    corridor(
        "South Shore greenway, Great Kills to Tottenville",
        "South Shore",
        where="Wolfe's Pond",
        hectares=11,
    ),
    project(
        "Street trees in every gap of the canopy survey",
        "Westerleigh",
        form="none",
        rate=180_000,
        note="Gaps traced from the 2024 flight; too many outlines to draw by hand.",
    ),
    policy("Special Natural Area rules, updated", "Emerson Hill", 420),
    policy("Two street trees for every driveway", "Grant City", 290),
    policy("Dark skies over the Greenbelt", "Lighthouse Hill", 520, hole=True),
    policy("Conservation easements along Arthur Kill", "Kreischerville", 160),
    policy("Green roofs on every flat roof over 1,000 m²", "Teleport", 210),
)

ENERGY = (
    project(
        "Freshkills solar fields",
        "Freshkills East Mound",
        48,
        parts=2,
        lead="NYC DSNY",
        note="Panels on ballast, nothing is driven through the cap.",
    ),
    project("Arlington Yard battery storage", "Arlington", 7, "block", rate=8_500_000),
    project("Howland Hook shore power", "Howland Hook", 4, "block", total=62_000_000, lead=EDC),
    project("Rossville LNG tank site: battery and solar", "Rossville Yards", 21, "block"),
    project(
        "Arthur Kill offshore wind staging quay",
        "Charleston",
        26,
        "shore",
        rate=5_400_000,
        lead="NYSERDA",
    ),
    project("Mall parking canopies – solar", "Staten Island Mall", 22, "block"),
    project("Teleport district geothermal", "Teleport", 11, "block", parts=2),
    project("Stapleton sewage heat recovery", "Stapleton", 2.5, "block", total=38_000_000),
    project("College campus microgrid", "College of Staten Island", 16, "block"),
    project("Oakwood Beach plant biogas", "Oakwood Beach", 5, "block", total=44_000_000, lead=DEP),
    project("Tottenville resilience hub with solar roof", "Tottenville", 2.5, "block"),
    corridor(
        "Harbor wind cable, Fort Wadsworth to Goethals",
        "Harbor cable",
        rate=7_200_000,
        lead="Con Edison",
        note="In the expressway's verge wherever there is one.",
    ),
    corridor("Arthur Kill transmission cable", "Arthur Kill cable"),
    corridor("Burying the wires on Hylan Boulevard", "Hylan Boulevard", 0.25, 0.6),
    policy("Heat pumps in the capes of New Dorp", "New Dorp", 260),
    policy("Solar-ready roofs, Charleston to Rossville", "Woodrow", 340),
    policy("Community solar shares for NYCHA tenants", "New Brighton", 110),
    policy("No new gas mains after 2030", "Westerleigh", 380),
)

TRANSPORT = (
    corridor(
        "North Shore BRT, St. George to Arlington",
        "North Shore Branch",
        0.0,
        0.85,
        rate=41_000_000,
        lead=MTA,
        note="Uses the old rail right-of-way; the stretch at Snug Harbor floods today.",
    ),
    corridor(
        "West Shore light rail",
        "West Shore light rail",
        rate=64_000_000,
        lead="MTA and NJ Transit",
        note="Park-and-ride at Richmond Valley, and room for a bridge to Bayonne.",
    ),
    corridor("Hylan Boulevard bus lanes, Rosebank to Great Kills", "Hylan Boulevard", 0.0, 0.52, lead=DOT),
    corridor(
        "Hylan Boulevard safer crossings, South Shore",
        "Hylan Boulevard",
        0.56,
        0.97,
        rate=6_000_000,
    ),
    corridor("Victory Boulevard select bus", "Victory Boulevard", 0.0, 0.8, lead=DOT),
    corridor("Richmond Avenue complete street", "Richmond Avenue"),
    corridor("Forest Avenue street trees and stops", "Forest Avenue"),
    corridor(
        "Richmond Terrace promenade and cycle track",
        "Richmond Terrace",
        0.0,
        0.75,
        rate=14_000_000,
        lead=DOT,
    ),
    corridor("Staten Island Railway signal renewal", "Staten Island Railway", total=310_000_000, lead=MTA),
    corridor("Express bus lane on the expressway", "Staten Island Expressway", 0.03, 0.97),
    corridor("West Shore service roads, two-way", "West Shore Expressway", legs=2, multi=True),
    corridor("East Shore boardwalk path", "East Shore", 0.04, 0.96, rate=5_500_000, lead=PARKS),
    corridor("Greenbelt cycle trail", "Greenbelt spine", 0.0, 0.75, rate=2_800_000),
    corridor("Freshkills park road and bridges", "Freshkills crossing"),
    corridor("New Dorp to Travis crosstown bus", "New Dorp Lane and Rockland Avenue", total=96_000_000),
    corridor("Bay Street slow zone, Tompkinsville to Clifton", "Bay Street", 0.1, 0.65),
    corridor("Arthur Kill Road raised out of the floodway", "Arthur Kill Road", 0.35, 0.85),
    corridor("Korean War Veterans Parkway noise walls", "Korean War Veterans Parkway", rate=7_500_000),
    project("St. George ferry terminal and bus ramps", "St. George", 4.5, "block", total=240_000_000),
    project(
        "Fast ferry landings at Stapleton",
        "Stapleton",
        1.8,
        "block",
        parts=2,
        total=85_000_000,
        lead=EDC,
    ),
    project("Eltingville transit center", "Eltingville", 3.5, "block"),
    policy("Congestion charge at the Goethals Bridge", "Goethals", 90),
    policy("Free transfers between ferry, bus and rail", "Tompkinsville", 120),
    policy("20 mph around every school", "Bulls Head", 360),
    policy("Parking maximums near stations", "Grasmere", 170),
    policy("Freight by night on the West Shore", "Bloomfield", 260),
)

INDUSTRY = (
    project(
        "Howland Hook container terminal, electric yard",
        "Howland Hook",
        48,
        "block",
        lead="Port Authority",
        note="Keeps the deep berth; the gate moves to the west so trucks leave Richmond Terrace.",
    ),
    project("Bloomfield logistics park, phase 2", "Bloomfield", 42, "block", parts=3, rate=3_900_000),
    project("Teleport research campus", "Teleport", 24, "block"),
    project("Mariners Harbor ship repair yard", "Mariners Harbor", 9, "block", lead=EDC),
    project("Charleston retail and workshop court", "Charleston", 14, "block"),
    project("Rossville maritime industrial park", "Rossville Yards", 36, "block", hole=True),
    project("Stapleton brewery blocks", "Stapleton", 3, "block", total=36_000_000),
    project("Port Richmond light industrial lofts", "Port Richmond", 5, "block", parts=2),
    project("Travis cement works reuse", "Travis", 17, "block"),
    project("Old Place cold storage", "Goethals", 10, "block"),
    project("Staten Island Mall outer lots: offices", "Staten Island Mall", 15, "block"),
    project("Outerbridge truck stop and repair campus", "Outerbridge", 9, "block"),
    project(
        "Film studio at the former Arthur Kill prison",
        "Kreischerville",
        16,
        "block",
        total=130_000_000,
    ),
    policy("Industrial business zone, Arthur Kill", "Rossville", 330, parts=2),
    policy("Last-mile hubs need a permit", "Graniteville", 240),
    policy("North Shore maker tax credit", "Elm Park", 150, total=25_000_000),
    policy("Working waterfront overlay", "Arlington", 130),
    policy("No self-storage within 500 m of a station", "Oakwood", 200),
)

MIXED = (
    project(
        "St. George civic terrace",
        "St. George",
        7,
        "block",
        rate=19_500_000,
        lead=EDC,
        note="Homes over the outlet parking, a library and a café court facing the harbor.",
    ),
    project("Tompkinsville hillside blocks", "Tompkinsville", 8, "block", parts=2),
    project("Stapleton homeport, last phase", "Stapleton", 9, "block"),
    project("Port Richmond Avenue main street", "Port Richmond", 10, "block", hole=True),
    project("Mariners Harbor town square", "Mariners Harbor", 6, "block"),
    project("New Dorp Lane station blocks", "New Dorp", 12, "block", parts=2),
    project("Staten Island Mall becomes a town", "Staten Island Mall", 23, "block"),
    project("Eltingville center over the parking lots", "Eltingville", 9, "block"),
    project("Great Kills village and harbor walk", "Great Kills", 7, "block"),
    project("Tottenville main street mill blocks", "Tottenville", 5, "block", total=52_000_000),
    project("Castleton Corners courtyards", "Castleton Corners", 6, "block"),
    project("Teleport live-work streets", "Teleport", 13, "block"),
    project("Charleston town center", "Charleston", 11, "block"),
    project("Concord station square", "Concord", 4.5, "block"),
    project("Dongan Hills station blocks", "Dongan Hills", 6, "block", total=66_000_000),
    policy("Bay Street corridor rezoning", "Tompkinsville", 80),
    policy("Shops allowed on every Forest Avenue corner", "Westerleigh", 190),
    policy("Legalize homes above stores, Hylan Boulevard", "Grant City", 170, parts=2),
    policy("Mix uses within 800 m of rail", "Great Kills", 280),
    policy("Arts district around Snug Harbor", "Snug Harbor", 75),
)

LOW_DENSITY = (
    project("Rossville garden homes", "Rossville", 26, "block"),
    project("Arden Heights rowhouse infill", "Arden Heights", 19, "block", parts=3),
    project("Richmond Valley cottage courts", "Richmond Valley", 22, "block", parts=2),
    project("Woodrow rowhouses around the green", "Woodrow", 17, "block", hole=True),
    project("Pleasant Plains village lanes", "Pleasant Plains", 15, "block", parts=2),
    project("Huguenot station cottages", "Huguenot", 12, "block"),
    project("Annadale infill homes", "Annadale", 14, "block", parts=2, multi=True),
    project("Bulls Head courtyard homes", "Bulls Head", 13, "block"),
    project("Graniteville rowhouses", "Graniteville", 11, "block"),
    project("Elm Park community land trust homes", "Elm Park", 8, "block", lead=HPD),
    project("Emerson Hill hillside homes", "Emerson Hill", 9, total=58_000_000),
    project("Oakwood Heights raised bungalows", "Oakwood", 18, "block", rate=6_100_000),
    project("Travis mill village homes", "Travis", 10, "block"),
    project("Sea View senior cottages", "Sea View", 8, total=41_000_000),
    project("Tottenville captain's lane houses", "Tottenville", 9, "block"),
    policy("Accessory homes by right, Westerleigh pilot", "Westerleigh", 230),
    policy("Backyard cottages on the South Shore", "Eltingville", 300),
    policy("Down-zone the flood blocks of Midland Beach", "Midland Beach", 150),
    policy("Historic district, Kreischerville brick row", "Kreischerville", 55),
    policy("Shared driveways, fewer curb cuts in New Dorp", "New Dorp", 210),
)

HIGH_DENSITY = (
    project(
        "St. George harbor towers",
        "St. George",
        5,
        "block",
        rate=36_000_000,
        note="Keep the view down Hyatt Street – two slim towers rather than one slab.",
    ),
    project("Tompkinsville affordable apartments", "Tompkinsville", 6.5, "block", lead=HPD),
    project("Stapleton waterfront apartments", "Stapleton", 9, "block", parts=2),
    project("Clifton station apartments", "Clifton", 7, "block"),
    project("New Brighton Richmond Terrace terraces", "New Brighton", 8, "block", parts=2),
    project("West Brighton Houses renewal and infill", "West Brighton", 12, "block", lead="NYCHA"),
    project("Port Richmond station affordable homes", "Port Richmond", 6, "block"),
    project("Mariners Harbor Houses infill", "Mariners Harbor", 10, "block", hole=True, lead="NYCHA"),
    project("Park Hill apartments, second life", "Grymes Hill", 11, "block"),
    project("Grasmere station courtyard blocks", "Grasmere", 5.5, "block", total=135_000_000),
    project("Grant City station apartments", "Grant City", 6, "block"),
    project("New Springville bus terminal housing", "New Springville", 14, "block"),
    project(
        "College of Staten Island residences",
        "College of Staten Island",
        5,
        "block",
        total=120_000_000,
    ),
    project("Bulls Head crossing apartments", "Bulls Head", 8, "block", parts=2),
    policy("Mandatory affordable housing, North Shore", "West Brighton", 240, parts=2),
    policy("Height bonus for ground-floor childcare", "Clifton", 70),
    policy("Six floors within 400 m of the railway", "Dongan Hills", 160),
    policy("Keep tenants in place: right of return", "Mariners Harbor", 120),
)

SKETCHES = (
    WATER,
    AGRICULTURE,
    GREEN,
    ENERGY,
    TRANSPORT,
    INDUSTRY,
    MIXED,
    LOW_DENSITY,
    HIGH_DENSITY,
)  # in the order of SYSTEMS

# By title: diagrams whose geometry is in an external file or layer; their area is in square meters.
EXTERNAL = {
    "Rain gardens wherever the flood model ponds": {
        "external_geometries": "https://data.example.org/staten-island/ponding_10yr.tif",
        "area": 480_000,
        "additional_metadata": {"source": "Harbor flood model", "kind": "cogs", "cell_m": 5},
    },
    "Street trees in every gap of the canopy survey": {
        "flat_geobuf_url": "https://data.example.org/staten-island/canopy_gaps.fgb",
        "area": 1_250_000,
        "additional_metadata": {
            "source": "Canopy survey 2024",
            "kind": "flatgeobuf",
            "gaps": 18_204,
        },
    },
}

# By tag of the system: lowest and highest height in meters, number of storeys, and height of a storey in meters.
HEIGHTS = {"WAT": (0, 4), "AGR": (0, 6), "GRN": (0, 15), "ENE": (0, 12), "TRA": (0, 8)}
STOREYS = {"IND": (1, 5), "MIX": (3, 9), "LDH": (2, 3), "HDH": (6, 28)}
STOREY_HEIGHT = {"IND": 5.5, "MIX": 3.8, "LDH": 3.2, "HDH": 3.3}

GENERAL_NOTES = (
    "",
    "",
    "",
    "Drawn quickly on Tuesday; edges to be agreed with the neighbors.",
    "Needs a second look after the negotiation.",
    "Area taken from the tax lots, not surveyed.",
    "Can start as soon as the money is there.",
    "Depends on what Transport does here.",
)


class TeamPreferences(NamedTuple):
    """A change team, with its preferences for the systems (by tag; 0 if missing) and its designs."""

    title: str
    likes: dict[str, float]
    designs: tuple[tuple[str, int], ...]  # description, number of diagrams


TEAMS = (
    TeamPreferences(
        "Conservation",
        {"WAT": 6, "AGR": 3, "GRN": 8, "ENE": 3, "TRA": 1.5, "LDH": 0.5, "MIX": 0.7},
        (
            ("Design 1 – room for the water", 34),
            ("Design 2 – after the flood model", 41),
            ("Design 3 – with the Residents' parks", 46),
        ),
    ),
    TeamPreferences(
        "Developers",
        {"IND": 4, "MIX": 6, "LDH": 3, "HDH": 7, "TRA": 2, "ENE": 1.5, "GRN": 0.6},
        (("Design 1 – build at the stations", 31), ("Design 2 – North Shore first", 38)),
    ),
    TeamPreferences(
        "Mobility",
        {"TRA": 9, "MIX": 3, "HDH": 2.5, "GRN": 1.5, "ENE": 1.5, "IND": 2, "WAT": 0.7},
        (
            ("Design 1 – two new lines", 28),
            ("Design 2 – lines, streets and paths", 36),
            ("Design 3 – what the budget carries", 33),
        ),
    ),
    TeamPreferences(
        "Residents",
        {"LDH": 5, "GRN": 4, "AGR": 4, "WAT": 4, "MIX": 2, "TRA": 2, "HDH": 0.8, "ENE": 1},
        (("Design 1 – neighborhoods stay neighborhoods", 44), ("Design 2 – à la carte", 52)),
    ),
)

NEGOTIATIONS = (
    ("Conservation", "Residents", 14),
    ("Developers", "Mobility", 18),
    ("Residents", "Developers", 11),
)
