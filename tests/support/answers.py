"""Parts of a service's responses to plain requests."""

import json


def status(response: bytes) -> int:
    return int(response.split(b" ", 2)[1])


def detail(response: bytes) -> str:
    return str(json.loads(response.partition(b"\r\n\r\n")[2])["detail"])
