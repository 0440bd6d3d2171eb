"""Prints a page of HTML to a PDF with a headless chromium that ends by itself."""

import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# Tags would hand the structure of the page to any reader that looks for them; most publications have none.
OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
    *("--no-pdf-header-footer", "--disable-pdf-tagging"),
)
SECONDS = 60


class ChromiumMissing(RuntimeError):
    """No chromium is installed."""


def print_pdf(html: str, target: Path) -> None:
    """Writes `html` to `target`. Raises ChromiumMissing, CalledProcessError or TimeoutExpired."""
    program = _program()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder, "page.html")
        page.write_text(html, encoding="utf-8")
        subprocess.run(
            [
                *(program, *OPTIONS),
                *(f"--user-data-dir={folder}/profile", f"--print-to-pdf={target.resolve()}", page.as_uri()),
            ],
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )


def _program() -> str:
    for name in PROGRAMS:
        found = shutil.which(name)
        if found:
            return found
    raise ChromiumMissing(f"no chromium to print with: none of {', '.join(PROGRAMS)} is on the PATH; install one")
