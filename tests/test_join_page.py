"""The page that the QR code on a member's card opens."""

import base64
import hashlib
import re
import subprocess
from urllib.parse import quote, urljoin

import pytest
import requests

from chromium import INSTALLED, NO_BROWSER
from pygeodesign import Client
from small_project import MEMBER, Workshop


def page_at(workshop: Workshop) -> requests.Response:
    return requests.get(urljoin(workshop.sandbox.url, "/join/"), timeout=20)


def test_the_page_needs_no_token_and_loads_nothing(workshop: Workshop) -> None:
    answer = page_at(workshop)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert not re.search(r"https?://|\bsrc=|@import|url\(", answer.text)


def test_the_page_may_run_its_own_script_and_nothing_else(workshop: Workshop) -> None:
    answer = page_at(workshop)
    (script,) = re.findall("<script>(.*?)</script>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; ") and f"script-src 'sha256-{digest}'" in policy
    assert answer.headers["referrer-policy"] == "no-referrer" and answer.headers["x-frame-options"] == "DENY"


def test_the_page_takes_no_writes(workshop: Workshop) -> None:
    assert requests.post(urljoin(workshop.sandbox.url, "/join/"), timeout=20).status_code == 405


@pytest.mark.skipif(INSTALLED is None, reason=NO_BROWSER)
def test_a_browser_shows_name_address_and_token_of_the_link_as_text(workshop: Workshop) -> None:
    token, name = workshop.sandbox.token(MEMBER), "Ana <b>&co"
    link = f"{urljoin(workshop.sandbox.url, '/join/')}#{quote(name, safe='')}:{token}"
    assert INSTALLED is not None
    command = [INSTALLED, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", link]
    shown = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60, check=True).stdout
    assert ">Welcome, Ana &lt;b&gt;&amp;co<" in shown
    (address,) = re.findall('<code id="address">(.*?)</code>', shown)
    (shown_token,) = re.findall('<code id="token">(.*?)</code>', shown)
    assert Client(shown_token, address).projects()
    assert 'id="missing" hidden=""' in shown
