"""Pages as a browser reads them, and texts that could break out of them."""

from html.parser import HTMLParser

HARMFUL = '<script>alert("x")</script>'
BREAKING_OUT = '#fff" onload="alert(1)'


class ParsedHtml(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data
