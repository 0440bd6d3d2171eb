"""The documents that rules are tried on, with their truth; what was read of their pages is kept in a folder."""

import hashlib
import importlib.util
import json
import pickle
import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pypdfium2

from benchmarks import onepage, printed, styles, typeset
from benchmarks.likeness import likeness
from benchmarks.printed.chromium import ChromiumMissing
from blobforge.processors.pdf_markdown.engines.blobforge import BlobforgeEngine
from blobforge.processors.pdf_markdown.engines.engine import Document, PageText
from blobforge.processors.pdf_markdown.layout.drawn import extract
from blobforge.processors.pdf_markdown.layout.model.content import OutlineEntry, PageContent, Rectangle
from blobforge.processors.pdf_markdown.layout.model.passages import PassageRole, all_of
from blobforge.processors.pdf_markdown.layout.page import passages_of
from blobforge.processors.pdf_markdown.layout.survey.survey import survey_of

OWN = {"styles": styles.make_all, "typeset": typeset.make_all, "printed": printed.make_all, "onepage": onepage.make_all}
CORPORA = ("rulebooks", "dpbench", "documents")
TABLES = "icdar"
_MOST_PAGES = 40
"""All pages of a longer document would not be surveyed, and it would take most of the time."""


class Scored(NamedTuple):
    """A document of a set, with the file of its truth."""

    set_name: str
    path: Path
    truth: Path

    @property
    def title(self) -> str:
        return f"{self.set_name}/{self.path.stem}"


class Pages(NamedTuple):
    """All that the file said."""

    contents: Sequence[PageContent]
    outline: Sequence[OutlineEntry]


def all_documents(place: Path, corpus: Path | None, *, every: int) -> list[Scored]:
    """Those of all sets by turns, so that a rule of any kind shows soon; of the largest set one in `every`."""
    sets = [_own(name, place / name) for name in OWN]
    if corpus is not None:
        sets += [_of_corpus(name, corpus / name, ".md") for name in CORPORA]
        sets.append(_of_corpus(TABLES, corpus / TABLES, ".json"))
    thinned = [found[::every] if found and found[0].set_name == "documents" else found for found in sets]
    return [document for document in chain.from_iterable(zip_longest(*thinned)) if document is not None]


def _own(name: str, folder: Path) -> list[Scored]:
    if not folder.exists():
        try:
            OWN[name](folder)
        except ChromiumMissing as error:
            print(f"left out, the pages of {name}: {error}")
            shutil.rmtree(folder, ignore_errors=True)
            return []
    return _of_corpus(name, folder, ".md")


def _of_corpus(name: str, folder: Path, suffix: str) -> list[Scored]:
    found = (Scored(name, path, path.with_suffix(suffix)) for path in sorted(folder.glob("*.pdf")))
    return [each for each in found if each.truth.exists() and "scan" not in each.path.name and _count(each.path)]


def _count(path: Path) -> int:
    """0 for a document with more pages than are wanted."""
    with pypdfium2.PdfDocument(path) as document:
        return len(document) if len(document) <= _MOST_PAGES else 0


class Library:
    """The documents as they were read, kept in a folder, since reading takes half of the time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _state_of_reading()
        self._folder.mkdir(parents=True, exist_ok=True)

    def pages(self, document: Scored) -> Pages:
        """Fresh ones at each call, since the stages change them."""
        kept = self._folder / f"{document.set_name}-{document.path.stem}.pickle"
        if not kept.exists():
            kept.write_bytes(pickle.dumps(read_anew(document)))
        found: Pages = pickle.loads(kept.read_bytes())
        return found


def _state_of_reading() -> str:
    """Another one when the code that reads pages is another."""
    layout = Path(extract.__file__).parent.parent
    sources = sorted([*layout.glob("drawn/*.py"), *layout.glob("words/*.py"), *layout.glob("*.py")])
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


def read_anew(document: Scored) -> Pages:
    count = _count(document.path)
    source = extract.Source(document.path, pages=count)
    return Pages([source.page(number) for number in range(1, count + 1)], source.outline())


class Made(NamedTuple):
    """What the engine makes of a document: `regions` is where its pictures are cut out, which no score can tell."""

    markdown: str
    regions: tuple[Rectangle, ...]


def made_of(document: Scored, pages: Pages) -> Made:
    survey = survey_of(pages.contents, count=len(pages.contents), outline=pages.outline)
    known = Document(path=document.path, pages=len(pages.contents), survey=survey.as_json())
    read = [PageText("", tuple(passages_of(page, survey))) for page in pages.contents]
    figures = (each for page in read for each in all_of(page.passages or ()) if each.role is PassageRole.FIGURE)
    regions = tuple(each.box for each in figures)
    return Made("\n\n".join(filter(None, BlobforgeEngine.stitch(known, read).texts)), regions)


def score_of(markdown: str, document: Scored, corpus: Path | None) -> float:
    """From 0 to 1, by the scorer of the set."""
    truth = document.truth.read_text(encoding="utf-8")
    if document.set_name in OWN:
        return likeness(truth, markdown).overall
    assert corpus is not None
    scorer = _scorer(corpus)
    if document.set_name == TABLES:
        wanted = [[[scorer.norm(cell) for cell in row] for row in table] for table in json.loads(truth)]
        return float(scorer.score_tables(wanted, scorer.parse(markdown.replace("<br>", " "))[2]) or 0.0)
    return float(scorer.score(truth, markdown)["overall"])


@cache
def _scorer(corpus: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score_markdown", corpus / "score_markdown.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def by_set(scores: Mapping[str, float]) -> Iterator[tuple[str, float, int]]:
    """Name, mean and number of documents of each set."""
    names = dict.fromkeys(title.partition("/")[0] for title in scores)
    for name in names:
        own = [score for title, score in scores.items() if title.startswith(f"{name}/")]
        yield name, sum(own) / len(own), len(own)
