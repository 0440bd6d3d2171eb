# ruff: noqa: RUF001 - Cyrillic words, and all the dashes that are printed
"""Lines as spaCy documents: an EntityRuler tags what is measured, PhraseMatchers find names and heads of columns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from blobforge.domain.errors import EngineUnavailable
from blobforge.processors.lab_report.biomarkers.lexicon import Lexicon
from blobforge.processors.lab_report.notation.dates import MONTH
from blobforge.processors.lab_report.page.tokens import LineToken
from blobforge.processors.lab_report.vocabulary import columns, limits
from blobforge.processors.lab_report.vocabulary.calendar_words import HOURS
from blobforge.processors.lab_report.vocabulary.languages import terms

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_BLANK = "blank:"
_RULES = "lab_rules"
_KIND = "lab_kind"
_NUMBERED = "NUMBERED"
"""What counts things, such as n° 8-3157: no number that was measured, and no range."""
LABELS = ("NUMBER", "RANGE", "LIMIT", "UNIT", "FLAG", "OUTCOME", "DATE")


class TaggedSpan(NamedTuple):
    """Tokens `first` to `last`, both included, have this label."""

    label: str
    first: int
    last: int


class LineTagger:
    """One pipeline with our rules, kept for all lines."""

    def __init__(self, model: str, lexicon: Lexicon) -> None:
        from spacy.matcher import PhraseMatcher
        from spacy.tokens import Token

        if not Token.has_extension(_KIND):
            Token.set_extension(_KIND, default="word")
        self._nlp = pipeline(model)
        _add_rules(self._nlp)
        self._names = PhraseMatcher(self._nlp.vocab, attr="LOWER")
        self._heads = PhraseMatcher(self._nlp.vocab, attr="LOWER")
        self._names.add("BIOMARKER", [self._phrase(name) for name, _ in lexicon.names() if name.strip()])
        for kind in columns.COLUMN_KINDS:
            spellings = sorted(columns.head_spellings(kind))
            self._heads.add(kind, [self._phrase(each) for head in spellings for each in (head, f"{head}.")])

    @property
    def components(self) -> list[str]:
        return list(self._nlp.pipe_names)

    def marked(self, lines: Iterable[Sequence[LineToken]]) -> "Iterator[Doc]":
        yield from self._nlp.pipe(self._document(line) for line in lines)

    def names_in(self, document: "Doc") -> list[TaggedSpan]:
        """The biomarkers that are named, the longest first where several overlap."""
        return _longest(self._names(document), lambda _: "BIOMARKER")

    def heads_in(self, document: "Doc") -> list[TaggedSpan]:
        """Heads of columns, by their kind."""
        return _longest(self._heads(document), lambda match: str(self._nlp.vocab.strings[match]))

    def _document(self, line: Sequence[LineToken]) -> "Doc":
        from spacy.tokens import Doc

        # A document must have words; an empty line is one gap.
        document = Doc(self._nlp.vocab, words=[token.text for token in line] or ["\t"])
        for word, token in zip(document, line, strict=False):
            word._.set(_KIND, token.kind)
        return document

    def _phrase(self, text: str) -> "Doc":
        """Tokenized as lines are, so that phrases and lines have the same tokens."""
        from spacy.tokens import Doc

        from blobforge.processors.lab_report.page.tokens import tokenize

        return Doc(self._nlp.vocab, words=[token for word in text.split() for token, _ in tokenize(word)])


def spans_of(document: "Doc") -> list[TaggedSpan]:
    return [TaggedSpan(span.label_, span.start, span.end - 1) for span in document.ents if span.label_ in LABELS]


def pipeline(model: str) -> "Language":
    import spacy

    try:
        return spacy.blank(model.removeprefix(_BLANK)) if model.startswith(_BLANK) else spacy.load(model)
    except (OSError, ImportError) as error:
        raise EngineUnavailable(
            f"the spaCy pipeline {model!r} is not installed; install it, or use spacy_model=blank:xx, which needs none"
        ) from error


def _add_rules(nlp: "Language") -> None:
    rules: Any = nlp.add_pipe("entity_ruler", name=_RULES, config={"overwrite_ents": True}, last=True)
    rules.add_patterns(list(_patterns()))


def _patterns() -> Iterator[dict[str, Any]]:
    number, dash, compare, unit = map(_of_kind, ("number", "dash", "compare", "unit"))
    percent = {"TEXT": "%", "OP": "?"}
    join = {"LOWER": {"IN": list(limits.JOINERS)}}
    link = {"LOWER": {"IN": list(limits.LIMIT_LINKS)}, "OP": "*"}
    equals = {"TEXT": "=", "OP": "?"}
    for between in (dash, join):
        yield {"label": "RANGE", "pattern": [number, percent, between, number]}
        yield {"label": "RANGE", "pattern": [{"LOWER": {"IN": list(limits.STARTERS)}}, number, between, number]}
    either = {"LOWER": {"IN": list(limits.OR)}, "OP": "?"}
    yield {"label": "LIMIT", "pattern": [compare, either, equals, number]}
    yield {"label": "LIMIT", "pattern": [compare, _of_kind("gap"), number]}
    yield {"label": "LIMIT", "pattern": [{"LOWER": {"IN": list(limits.LIMITS)}}, link, number]}
    more = {"LOWER": {"IN": list(limits.OR_MORE)}}
    yield {"label": "LIMIT", "pattern": [number, {"LOWER": {"IN": list(limits.OR)}}, more]}
    yield {"label": "NUMBER", "pattern": [number]}
    yield {"label": "UNIT", "pattern": [{**unit, "OP": "+"}]}
    yield {"label": "UNIT", "pattern": [unit, {"LOWER": {"IN": list(terms("units", "behind"))}}]}
    for of_total in terms("units", "of_total"):
        yield {"label": "UNIT", "pattern": [{"TEXT": "%"}, *_words(of_total), _of_kind("word")]}
    yield {"label": "UNIT", "pattern": [{"LOWER": {"IN": ["x", "×", "х"]}}, unit]}
    yield {"label": "UNIT", "pattern": [{"TEXT": "*"}, {**unit, "TEXT": {"REGEX": r"^10\D"}}]}
    yield {"label": "UNIT", "pattern": [{"LOWER": {"REGEX": r"^[^\W\d_]{1,8}\.?$"}}, {"TEXT": "/"}, unit]}
    numbered = {"LOWER": {"IN": list(limits.NUMBERED)}}
    yield {"label": _NUMBERED, "pattern": [numbered, number]}
    yield {"label": _NUMBERED, "pattern": [numbered, number, dash, number]}
    yield {
        "label": "DATE",
        "pattern": [{**number, "TEXT": {"REGEX": r"^\d{1,2}[.:]\d\d$"}}, {"LOWER": {"IN": list(HOURS)}}],
    }
    month, year = {"LOWER": {"REGEX": MONTH}}, {**number, "TEXT": {"REGEX": r"^(?:19|20)\d\d$"}}
    yield {"label": "DATE", "pattern": [number, {**_of_kind("punctuation"), "OP": "*"}, month, year]}
    for first_hour in terms("units", "first_hour"):
        yield {"label": "UNIT", "pattern": [{"LOWER": "mm"}, *_words(first_hour)]}
    for kind, label in (
        ("flag", "FLAG"),
        ("outcome", "OUTCOME"),
        ("titre", "OUTCOME"),
        ("date", "DATE"),
        ("time", "DATE"),
    ):
        yield {"label": label, "pattern": [_of_kind(kind)]}


def _words(phrase: str) -> list[dict[str, Any]]:
    return [{"LOWER": word} for word in phrase.split()]


def _of_kind(kind: str) -> dict[str, Any]:
    return {"_": {_KIND: kind}}


def _longest(matches: Any, label: Any) -> list[TaggedSpan]:
    taken: set[int] = set()
    found: list[TaggedSpan] = []
    for match, start, end in sorted(matches, key=lambda match: (match[1] - match[2], match[1])):
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            found.append(TaggedSpan(label(match), start, end - 1))
    return sorted(found, key=lambda span: span.first)
