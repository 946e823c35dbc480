"""What the words of a report mean."""

WORDS = {
    "system": (
        "One of the themes of the project, such as water or housing, with its rate, its budget and its target area."
    ),
    "diagram": "One idea on the map, by one author, for one system. Its id is the one that it has in the project.",
    "project, policy": (
        "A diagram is a project, which is built and has a cost, or a policy, which changes no land and costs "
        "nothing unless it has a total of its own. A diagram whose kind is not known counts as a project."
    ),
    "change team": "People who make designs together, from one point of view.",
    "design": "A choice of diagrams that a change team saved.",
    "evaluation map": (
        "A map of a system with classes of land, from red, where change is least wanted, to green, where it "
        "is most wanted."
    ),
    "agreement": "How many designs have chosen the same diagram.",
    "similarity": (
        "The diagrams that two designs share, divided by those that either of them has (Jaccard 1912): 1 for "
        "the same diagrams, 0 for none in common. By cost, each diagram counts as much as it costs."
    ),
    "consensus": "Each place with the number of designs that change it; places with the same number are added up.",
    "conflict": (
        "Land that projects of two systems, or two diagrams, claim. What is at stake is the shared area times "
        "what a hectare of each of the two costs."
    ),
    "cost": (
        "The total of the diagram where it has one; 0 for a policy; else its own rate, or that of its system, "
        "times its area. A diagram of lines only costs its rate times its length."
    ),
    "area, length": "Geodesic on the WGS 84 ellipsoid (Karney 2013).",
    "target, missing": (
        "The area that a system is to cover; missing is the target, less what it covers today, less the area "
        "of the diagrams of the design."
    ),
    "present value": "What a later cost is worth today: the cost divided by (1 + rate) for each year in between.",
    "sensitivity": "What the total becomes if the rate of one system is lower or higher and all else stays.",
    "optimum": (
        "The diagrams under the budget that leave the least sum of shortfalls; the shortfall of a system is "
        "the share of its target that is missing (minimum shortfall, Hanson et al. 2025)."
    ),
    "not known": "The project does not say. What is not known is in no sum, and counts as unknown, not as 0.",
}
