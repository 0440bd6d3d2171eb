"""Documents of one page, of many kinds: `make_all` writes each as a PDF beside its true Markdown."""

from pathlib import Path


def make_all(folder: Path) -> list[Path]:
    """Writes NAME.pdf and NAME.md for every page, and returns their paths. Raises ChromiumMissing."""
    from benchmarks.onepage.source import body_of, names, page_of
    from benchmarks.onepage.truth import truth_of
    from benchmarks.printed.chromium import print_pdf

    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for name in names():
        page, truth = folder / f"{name}.pdf", folder / f"{name}.md"
        print_pdf(page_of(name), page)
        truth.write_text(truth_of(body_of(name)), encoding="utf-8")
        made += [page, truth]
    return made
