"""Documents of one page, of many kinds: `make_all` writes each as a PDF beside its true Markdown."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

_AT_ONCE = 4
"""Chromium waits for most of the time that it takes."""


def make_all(folder: Path) -> list[Path]:
    """Writes NAME.pdf and NAME.md for every page, and returns their paths. Raises ChromiumMissing."""
    from benchmarks.onepage.source import body_of, names, page_of
    from benchmarks.onepage.truth import truth_of
    from benchmarks.printed.chromium import print_pdf

    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(_AT_ONCE) as printers:
        list(printers.map(lambda name: print_pdf(page_of(name), folder / f"{name}.pdf"), names()))
    made: list[Path] = []
    for name in names():
        truth = folder / f"{name}.md"
        truth.write_text(truth_of(body_of(name)), encoding="utf-8")
        made += [folder / f"{name}.pdf", truth]
    return made
