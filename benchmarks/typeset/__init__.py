"""Publications that Typst sets: `make_all` writes each as a PDF beside its true Markdown."""

from pathlib import Path

NAMES = ("codex", "lamplight", "grimoire", "orbital", "sluice", "survey", "playbook", "almanac", "cards")


def make_all(folder: Path) -> list[Path]:
    """Writes NAME.pdf and NAME.md for every style, and returns their paths."""
    from benchmarks.typeset.markup import as_typst
    from benchmarks.typeset.press import print_pdf
    from benchmarks.typeset.source import read_source, without_hints

    folder.mkdir(parents=True, exist_ok=True)
    made: list[Path] = []
    for name in NAMES:
        source = read_source(name)
        page, truth = folder / f"{name}.pdf", folder / f"{name}.md"
        print_pdf(as_typst(source), look=name, target=page)
        truth.write_text(without_hints(source), encoding="utf-8")
        made += [page, truth]
    return made
