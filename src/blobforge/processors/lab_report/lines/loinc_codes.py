"""LOINC codes that a report prints beside a name."""

import re

from blobforge.processors.lab_report.page.rows import PrintedRow

_LABELLED = re.compile(r"[(\[]?\s*LOINC(?:[\s-]*code)?\s*[:#]?\s*(?P<code>\d{1,5}-\d)\s*[)\]]?", re.IGNORECASE)
_SHAPE = re.compile(r"\d{1,5}-\d")


def is_code(text: str) -> bool:
    """Its last digit checks the others, so that a range such as 150-4 is hardly ever taken for one."""
    if not _SHAPE.fullmatch(text):
        return False
    digits, check = text.split("-")
    total = sum(_doubled(int(digit)) if place % 2 == 0 else int(digit) for place, digit in enumerate(reversed(digits)))
    return -total % 10 == int(check)


def without_code(row: PrintedRow) -> tuple[PrintedRow, str | None]:
    """The line without its labelled code, and the code. The words keep their places."""
    match = _LABELLED.search(row.text)
    if match is None:
        return row, None
    words, start = [], 0
    for word in row.words:
        first, last = max(match.start() - start, 0), min(match.end() - start, len(word.text))
        text = word.text if last <= first else word.text[:first] + word.text[last:]
        if text:
            words.append(word._replace(text=text))
        start += len(word.text) + 1
    code = match["code"] if is_code(match["code"]) else None
    return (row._replace(words=tuple(words)), code) if words else (row, None)


def _doubled(digit: int) -> int:
    return digit * 2 - 9 if digit > 4 else digit * 2
