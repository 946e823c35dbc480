"""The tables and the outline of a report."""

import re
from html.parser import HTMLParser


class Outline(HTMLParser):
    """Headings, anchors and links of a page, pictures and headers of tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.levels: list[int] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.alts: list[str | None] = []
        self.scopes: list[str | None] = []
        self.sources: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))
        if tag == "a":
            self.links.append(given["href"] or "")
        if tag == "img":
            self.alts.append(given.get("alt"))
        if tag == "th":
            self.scopes.append(given.get("scope"))
        self.ids += [given["id"]] if given.get("id") else []  # type: ignore[list-item]
        if tag == "svg" and given.get("role") == "img":
            self.alts.append(given.get("aria-label"))
        self.sources += [given[name] or "" for name in ("src", "srcset") if name in given]


def table(page: str, caption: str) -> list[list[str]]:
    """The cells of the table with this caption, row by row, without markup."""
    found = re.search(rf"<caption>{re.escape(caption)}</caption>.*?<tbody>(.*?)</tbody>", page, re.DOTALL)
    assert found, f"no table {caption!r}"
    rows = re.findall(r"<tr.*?>(.*?)</tr>", found[1], re.DOTALL)
    return [[re.sub("<.*?>", "", cell) for cell in re.findall(r"<t[hd].*?>(.*?)</t[hd]>", row)] for row in rows]
