"""The options of reading a lab report: parsed once, defaults filled in."""

import difflib
import re
from dataclasses import asdict, dataclass, fields

from blobforge.domain.errors import InvalidOptions
from blobforge.domain.json_value import JsonObject, JsonValue

_MODEL = re.compile(r"blank:[a-z]{2,3}|[A-Za-z][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabOptions:
    spacy_model: str = "blank:xx"
    """A pipeline that is installed, or `blank:` and a language, which needs none."""
    slice_pages: int = 50

    def as_json(self) -> JsonObject:
        return asdict(self)


def parse_options(options: JsonObject) -> LabOptions:
    """Values may be text, as a command line gives them. Raises InvalidOptions."""
    known = [field.name for field in fields(LabOptions)]
    for name in options:
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
            hint = f"did you mean {nearest[0]!r}?" if nearest else f"known are {', '.join(known)}"
            raise InvalidOptions(f"there is no option {name!r}; {hint}")
    default = LabOptions()
    return LabOptions(
        spacy_model=_model(options.get("spacy_model", default.spacy_model)),
        slice_pages=_pages(options.get("slice_pages", default.slice_pages)),
    )


def _model(value: JsonValue) -> str:
    if not isinstance(value, str) or not _MODEL.fullmatch(value):
        raise InvalidOptions(f"spacy_model={value!r}: use the name of an installed pipeline, or blank:xx")
    return value


def _pages(value: JsonValue) -> int:
    text = str(value)
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 10_000:
        raise InvalidOptions(f"slice_pages={value!r}: use a number of pages from 1 to 10000")
    return int(text)
