"""Footnotes: a note at the foot of a page goes after the paragraph that refers to it.

While pages are read a raised number is written as a reference, `[^1]`. Here those that have a note stay so, and the
others become raised numbers: exponents, and references whose note is elsewhere.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from blobforge.processors.pdf_markdown.layout.model.passages import Passage, PassageRole
from blobforge.processors.pdf_markdown.layout.survey.survey import DocumentSurvey

REFERENCE = re.compile(r"\[\^(\d{1,3}|[*†‡§])\]")
_NOTE = re.compile(r"(?:\[\^(\d{1,3}|[*†‡§])\]|(\d{1,3})(?=\s))\s*(?=\S)")
_POWER = re.compile(r"(?:\b|(?<=\d))(?:10|[^\W\d_]|[kcmdnµ]m|ft|yd)$|\*[^\W\d_]\*$")
"""What is raised to a power: ten, a variable, a unit of length."""
_EXPONENTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_SMALLER = 0.95
"""Of the body's size: so small are notes."""


def with_footnotes(passages: Sequence[Passage], survey: DocumentSurvey) -> list[Passage]:
    """The passages with each note after what refers to it."""
    passages = _with_notes_apart(passages, survey)
    placed: dict[int, list[Passage]] = {}
    gone: set[int] = set()
    for place, passage in enumerate(passages):
        name = _name_of_note(passage, survey)
        owner = _owner(passages, place, name) if name else None
        if name and owner is not None:
            _refer(owner, name)
            _make_note(passage, name)
            placed.setdefault(id(owner), []).append(passage)
            gone.add(id(passage))
    ordered: list[Passage] = []
    for passage in passages:
        if id(passage) not in gone:
            ordered += [passage, *placed.get(id(passage), ())]
    for passage in ordered:
        _settle(passage, {note.marker for note in placed.get(id(passage), ())})
    return ordered


def _with_notes_apart(passages: Sequence[Passage], survey: DocumentSurvey) -> list[Passage]:
    """Short notes follow each other without a gap, and were taken for one paragraph: where the next number stands
    behind the end of a sentence, and the page refers to it, the next note begins."""
    apart: list[Passage] = []
    for place, passage in enumerate(passages):
        apart.append(passage)
        name = _name_of_note(passage, survey)
        while name.isdigit() and _owner(passages, place, name) is not None:
            name = str(int(name) + 1)
            parts = [_before_note(name).split(text, maxsplit=1) for text in (apart[-1].text, apart[-1].plain)]
            if any(len(part) == 1 for part in parts) or _owner(passages, place, name) is None:
                break
            (text, next_text), (plain, next_plain) = parts
            apart[-1] = replace(apart[-1], text=text, plain=plain)
            apart.append(replace(apart[-1], text=next_text, plain=next_plain))
    return apart


def _before_note(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=[.!?…)\]\"”’])\s+(?=(?:\[\^{name}\]|{name}(?=\s))\s*\S)")


def _name_of_note(passage: Passage, survey: DocumentSurvey) -> str:
    if passage.role is not PassageRole.PARAGRAPH or passage.look is None or passage.look.size > _SMALLER * survey.size:
        return ""
    found = _NOTE.match(passage.plain)
    return (found[1] or found[2]) if found else ""


def _owner(passages: Sequence[Passage], note: int, name: str) -> Passage | None:
    """The last passage before the note, on its page, that refers to it."""
    for place in range(note - 1, -1, -1):
        passage = passages[place]
        if passage.page != passages[note].page:
            return None
        if passage.role in (PassageRole.PARAGRAPH, PassageRole.ITEM) and _place_of(passage.text, name):
            return passage
    return None


def _place_of(text: str, name: str) -> re.Match[str] | None:
    """Where the text refers to the note; some files raise numbers in a way that is not seen."""
    raised = next((found for found in REFERENCE.finditer(text) if found[1] == name and _refers(found)), None)
    if raised is not None or not name.isdigit():
        return raised
    # Behind a capital it is part of a formula, such as CO2.
    return re.search(rf"(?<=[^\W\d_A-Z])[.,;:!?’”\"')*]*(?<!\d)({name})(?=\s|$)", text)


def _refers(raised: re.Match[str]) -> bool:
    """Whether a raised number stands behind a word: not an exponent, an index, or the number before an isotope."""
    before = raised.string[: raised.start()]
    return bool(before.strip()) and not before[-1].isspace() and _POWER.search(before) is None


def _refer(owner: Passage, name: str) -> None:
    for field in ("text", "plain"):
        text = getattr(owner, field)
        found = _place_of(text, name)
        if found is not None and not REFERENCE.fullmatch(found[0]):
            setattr(owner, field, f"{text[: found.start(1)]}[^{name}]{text[found.end(1) :]}")


def _make_note(passage: Passage, name: str) -> None:
    passage.role, passage.marker = PassageRole.NOTE, name
    for field in ("text", "plain"):
        text = getattr(passage, field)
        setattr(passage, field, _NOTE.sub("", text, count=1) if _NOTE.match(text) else text)


def _raised(number: re.Match[str]) -> str:
    """As an exponent; behind a capital it may be lowered as well, as in H2O."""
    before = number.string[: number.start()].rstrip("*")[-1:]
    return number[1] if before.isupper() else number[1].translate(_EXPONENTS)


def _settle(passage: Passage, names: set[str]) -> None:
    """References without a note are numbers."""

    def settled(text: str) -> str:
        if "[^" not in text:
            return text
        return REFERENCE.sub(lambda found: found[0] if found[1] in names and _refers(found) else _raised(found), text)

    for child in passage.children:
        _settle(child, names)
    passage.text, passage.plain = settled(passage.text), settled(passage.plain)
    passage.rows = [[settled(cell) for cell in row] for row in passage.rows]
