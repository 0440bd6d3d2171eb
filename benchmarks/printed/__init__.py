"""Publications that chromium prints from HTML: `make_all` writes each as a PDF beside its true Markdown."""

from pathlib import Path

NAMES = ("delve", "manual", "menagerie", "paper", "catalogue", "leaflet")


def make_all(folder: Path) -> list[Path]:
    """Writes NAME.pdf and NAME.md for every style, and returns their paths. Raises ChromiumMissing."""
    from benchmarks.printed.chromium import print_pdf
    from benchmarks.printed.html import as_html
    from benchmarks.printed.source import read_source, without_hints

    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for name in NAMES:
        source = read_source(name)
        page, truth = folder / f"{name}.pdf", folder / f"{name}.md"
        print_pdf(as_html(source), page)
        truth.write_text(without_hints(source.text), encoding="utf-8")
        made += [page, truth]
    return made
