"""Right-to-left text: a page holds it as it looks, from left to right; here it gets the order in which it is read."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from blobforge.processors.pdf_markdown.layout.model.content import TextLine, TextWord

_RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_PRESENTATION = re.compile(r"[\ufb1d-\ufdff\ufe70-\ufefc]")
_KEPT = re.compile(
    r"[0-9](?:[0-9.,:/%-]*[0-9%])?"
    r"|[\u0660-\u0669\u06f0-\u06f9](?:[\u0660-\u0669\u06f0-\u06f9\u066b\u066c.,:/]*[\u0660-\u0669\u06f0-\u06f9])?"
)
"""A number, which is read from left to right. A hyphen parts Arabic ones; U+066B and U+066C are their decimal and
thousands signs."""
_SIGNED = re.compile(r"([%‰٪.,:;!?]*)(\d(?:.*\d)?)([+±−-]*)([)\]}]*)")
"""A number of a line from right to left with signs at its sides, as it looks: they are set as the line is."""
_HEBREW, _ARABIC = re.compile(r"[\u0590-\u05ff]"), re.compile(r"[\u0600-\u08ff\ufb50-\ufdff\ufe70-\ufefc]")
_PARTED = re.compile(r"(?<![0-9])(?<![0-9][.,:])[0-9]+(?:[.,:][0-9]+)*(?:-[0-9]+(?:[.,:][0-9]+)*)+(?![.,:]?[0-9])")
"""After Arabic letters the parts of such a number are set from right to left, as Unicode has it; after Hebrew ones it
stays whole."""
_RANGE = re.compile(r"(?<![0-9])(?<![0-9][.,:])([0-9]+(?:[.,:][0-9]+)*)([–—])([0-9]+(?:[.,:][0-9]+)*)(?![.,:]?[0-9])")
"""So do the ends of a range with a dash, after any of both."""
_ADDRESS = re.compile(r"\S@\S|://|^www\.")
"""It stands in lines of any script, and may be longer than what is said of it."""
_STOPPED = re.compile(r"([.,:;!?]+)([(\[{]\S+)")
"""A number in brackets with a stop after it, in a line from right to left, as it looks."""
_MIRRORED = str.maketrans("()[]{}<>«»", ")(][}{><»«")
_OPENING, _CLOSING = "([{", ")]}"
_OPENED, _CLOSED = str.maketrans(_CLOSING, _OPENING), str.maketrans(_OPENING, _CLOSING)


def is_right_to_left(text: str) -> bool:
    return not text.isascii() and _RIGHT_TO_LEFT.search(text) is not None


def reads_from_right(lines: Iterable[TextLine]) -> bool:
    """Whether most lines do, so that their columns do too."""
    votes = [is_right_to_left(line.text) for line in lines]
    return 2 * sum(votes) > len(votes)


def in_logical_order(words: list[TextWord]) -> list[TextWord]:
    """The words of a line; untouched when none is right-to-left."""
    if all(word.text.isascii() for word in words) or not any(is_right_to_left(word.text) for word in words):
        return words
    from_right = sum(_weight(word) for word in words if not _ADDRESS.search(word.text)) > 0
    words = [word for run in _runs(words) for word in _with_outer_brackets(run, from_right=from_right)]
    words = [word for run in _runs(words) for word in _with_signs(run, from_right=from_right)]
    if from_right:
        words = [
            word if any(map(str.isalpha, word.text)) else word._replace(text=_RANGE.sub(r"\3\2\1", word.text))
            for word in words
        ]
    if from_right and _is_arabic(words):
        words = [
            word if any(map(str.isalpha, word.text)) else word._replace(text=_PARTED.sub(_parts_turned, word.text))
            for word in words
        ]
    gaps = {(id(before), id(after)): after.spaced for before, after in pairwise(words)}
    runs = _runs(words)
    if from_right:
        runs = [part for run in reversed(runs) for part in _edges_apart(run)]
    ordered = [word for run in runs for word in (reversed(run) if _is_backwards(run, from_right=from_right) else run)]
    return _spaced(ordered, gaps)


def _is_arabic(words: Iterable[TextWord]) -> bool:
    return any(_ARABIC.search(word.text) for word in words) and not any(_HEBREW.search(word.text) for word in words)


def _parts_turned(number: re.Match[str]) -> str:
    return "-".join(reversed(number[0].split("-")))


def _runs(words: Iterable[TextWord]) -> list[list[TextWord]]:
    """Words beside each other that are all from right to left, or none of them."""
    return [list(run) for _, run in groupby(words, key=lambda word: is_right_to_left(word.text))]


def _is_backwards(run: Sequence[TextWord], *, from_right: bool) -> bool:
    """Numbers that follow each other do so from right to left in such a line, each in itself from left to right."""
    return is_right_to_left(run[0].text) or (from_right and not any(map(_weight, run)))


def _edges_apart(run: list[TextWord]) -> Iterable[list[TextWord]]:
    """The parts of a run in the order of a line from right to left: a dash at an end of foreign words is the line's."""
    if is_right_to_left(run[0].text) or not any(map(_weight, run)):
        return [run]
    first = next(place for place, word in enumerate(run) if not _is_neutral(word))
    last = next(place for place in range(len(run) - 1, -1, -1) if not _is_neutral(run[place]))
    return [part for part in (run[:last:-1], run[first : last + 1], run[:first][::-1]) if part]


def _is_neutral(word: TextWord) -> bool:
    return not any(sign.isalnum() or _is_bracket(sign) for sign in word.text)


def _with_signs(run: list[TextWord], *, from_right: bool) -> Iterable[TextWord]:
    """What looks like "966+" or ".1998" among words from right to left is "+966" and "1998."."""
    if not from_right or any(map(_weight, run)):
        return run
    return [word._replace(text=_SIGNED.sub(r"\3\2\1\4", word.text)) if _is_signed(word) else word for word in run]


def _is_signed(word: TextWord) -> bool:
    return _SIGNED.fullmatch(word.text) is not None


def _with_outer_brackets(run: list[TextWord], *, from_right: bool) -> list[TextWord]:
    """A bracket at one end of a run that reads against its line belongs to the line, and stands at the other end of the
    run when that is read: before its content, or after it."""
    if is_right_to_left(run[0].text) == from_right:
        return run
    if not _is_backwards(run, from_right=from_right) or is_right_to_left(run[0].text):
        return _moved(run)
    return [each for word in run for each in (_number(word) if _has_text(word) else (_turned(word),))]


def _number(word: TextWord) -> list[TextWord]:
    stopped = _STOPPED.fullmatch(word.text)
    if stopped is None:
        return _moved([word])
    moved = _moved([word._replace(text=stopped[2])])
    return _changed(moved, -1, moved[-1].text + stopped[1])


def _moved(run: list[TextWord]) -> list[TextWord]:
    text = "".join(word.text for word in run)
    first, last = run[0], run[-1]
    begins, ends = _is_bracket(text[:1]), _is_bracket(text[-1:])
    if not (begins or ends) or _is_balanced(text):
        return run
    if begins and ends:
        opened = _changed(run, 0, first.text[0].translate(_OPENED) + first.text[1:])
        return _changed(opened, -1, opened[-1].text[:-1] + last.text[-1].translate(_CLOSED))
    if begins:
        without = _changed(run, 0, first.text[1:])
        return _changed(without, -1, without[-1].text + text[0].translate(_CLOSED))
    without = _changed(run, -1, last.text[:-1])
    return _changed(without, 0, text[-1].translate(_OPENED) + without[0].text)


def _changed(run: Sequence[TextWord], place: int, text: str) -> list[TextWord]:
    """With another text for one word, or without it where none is left."""
    changed = list(run)
    before = changed[place]
    changed[place] = before._replace(text=text)
    if text:
        return changed
    del changed[place]
    return [changed[0]._replace(spaced=before.spaced), *changed[1:]] if place == 0 else changed


def _is_balanced(text: str) -> bool:
    waiting: list[str] = []
    for sign in filter(_is_bracket, text):
        if sign in _OPENING:
            waiting.append(sign.translate(_CLOSED))
        elif not waiting or waiting.pop() != sign:
            return False
    return not waiting


def _is_bracket(sign: str) -> bool:
    return bool(sign) and sign in _OPENING + _CLOSING


def _has_text(word: TextWord) -> bool:
    return any(map(str.isalnum, word.text))


def _turned(word: TextWord) -> TextWord:
    return word._replace(text=word.text.translate(_MIRRORED)[::-1])


def _weight(word: TextWord) -> int:
    """How many letters speak for reading from the right; less than none where they speak against it."""
    letters = sum(map(str.isalpha, word.text))
    return letters if is_right_to_left(word.text) else -letters


def _spaced(words: Sequence[TextWord], gaps: dict[tuple[int, int], bool]) -> list[TextWord]:
    """With the space that stands between each and the one before it, from whichever side."""
    put: list[TextWord] = []
    for place, word in enumerate(words):
        before = words[place - 1] if place else word
        spaced = gaps.get((id(before), id(word)), gaps.get((id(word), id(before)), True))
        put.append(word._replace(text=_read(word.text), spaced=spaced))
    return put


def _read(text: str) -> str:
    """The letters of one word from right to left, its numbers from left to right, its brackets turned."""
    if not is_right_to_left(text):
        return text
    backwards = text.translate(_MIRRORED)[::-1]
    # Some files tell a bracket as it is read, not as it is seen.
    if backwards[0] in _CLOSING or backwards[-1] in _OPENING:
        backwards = text[::-1]
    read = _KEPT.sub(lambda found: found[0][::-1], backwards)
    return _PRESENTATION.sub(lambda found: unicodedata.normalize("NFKC", found[0]), read)
