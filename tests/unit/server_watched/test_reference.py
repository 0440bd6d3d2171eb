"""The reference that a server shows of itself."""

import re

from tests.unit.server_watched.conftest import WatchedServer


def test_the_page_names_every_route_and_fetches_nothing(watched: WatchedServer) -> None:
    paths = watched.http.get("/openapi.json").json()["paths"]

    answered = watched.http.get("/docs")

    assert answered.headers["Content-Type"].startswith("text/html")
    assert "default-src 'none'" in answered.headers["Content-Security-Policy"]
    assert [path for path in paths if f"<code>{path}</code>" not in answered.text] == []
    assert re.findall(r"<(?:script|link|img|iframe)|(?:src|href)=", answered.text) == []
