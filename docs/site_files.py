"""A hook of MkDocs: lays the site out from the files of the repository, so that every link works in both places.

MkDocs follows a link by the path of its source file. Here that is the path in the repository, also for the pages
outside of docs/; only the address on the site is another one.
"""

import logging
from html.parser import HTMLParser
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parents[1]
OUTSIDE_OF_DOCS = {
    "README.md": "index.html",
    "ARCHITECTURE.md": "architecture.html",
    "CONTRIBUTING.md": "contributing.html",
    "CHANGELOG.md": "changelog.html",
    "SECURITY.md": "security.html",
    "examples/README.md": "examples/index.html",
    "examples/plugin/README.md": "examples/plugin/index.html",
    "examples/systemd/blobforge-server.service": "examples/systemd/blobforge-server.service",
    "examples/systemd/blobforge-worker.service": "examples/systemd/blobforge-worker.service",
}
"""Besides what is said of the benchmarks; and its address on the site."""

# A warning of a logger below this name ends a strict build.
log = logging.getLogger("mkdocs.plugins.site_files")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    outside = [_file(config, path, address) for path, address in outside_of_docs().items()]
    return Files([*outside, *(_laid_out(config, file) for file in files)])


def outside_of_docs() -> dict[str, str]:
    benchmarks = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.glob("benchmarks/*/README.md"))
    return {**OUTSIDE_OF_DOCS, **{path: path.replace("README.md", "index.html") for path in benchmarks}}


def on_post_build(*, config: MkDocsConfig) -> None:
    for page in sorted(Path(config.site_dir).rglob("*.html")):
        for address in loaded_from_elsewhere(page.read_text(encoding="utf-8")):
            log.warning("%s loads %s, which is not there offline", page.relative_to(config.site_dir), address)


def loaded_from_elsewhere(html: str) -> list[str]:
    """Addresses of other hosts that a browser asks for by itself; links that a reader may follow are none."""
    loads = _Loads()
    loads.feed(html)
    return [address for address in loads.addresses if address.startswith(("http:", "https:", "//"))]


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = {"src", "srcset", "data", "href"} if tag == "link" else {"src", "srcset", "data"}
        self.addresses += [value for name, value in attrs if name in wanted and value]


def _laid_out(config: MkDocsConfig, file: File) -> File:
    if file.src_dir != config.docs_dir:
        return file  # of the theme or of a plugin
    return _file(config, f"docs/{file.src_uri}", file.dest_uri, inclusion=file.inclusion)


def _file(
    config: MkDocsConfig, path: str, address: str, *, inclusion: InclusionLevel = InclusionLevel.UNDEFINED
) -> File:
    return File(path, str(ROOT), config.site_dir, config.use_directory_urls, dest_uri=address, inclusion=inclusion)
