"""The metadata of an object: text of any script in headers, within the limits of every store.

Headers carry ASCII only, and stores disagree about everything else. So a value is percent-encoded (UTF-8, `Zürich` is
`Z%C3%BCrich`), its plain characters as they are. All names and values together stay within 2 KB, `x-amz-meta-`
included. Where they are more, every value beyond a common length is cut to that length, at a whole character, and ends
with `…`; short values such as a nonce, a number or a hash always are never cut.
"""

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote, unquote

from blobforge.domain.errors import InvalidValue

MOST_BYTES = 2_048
CUT = "…"

_HEADER = "x-amz-meta-"
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PLAIN = " !\"#$&'()*+,-./:;<=>?@[\\]^_`{|}~"


def encoded(metadata: Mapping[str, str]) -> dict[str, str]:
    """As headers. Raises InvalidValue for a name that no header can have, or more names than fit."""
    for name in metadata:
        if not _NAME.fullmatch(name):
            raise InvalidValue(f"{name!r} cannot be a name in an object's metadata: use a-z, 0-9 and '-'")
    written = {name: _written(text) for name, text in metadata.items()}
    room = MOST_BYTES - sum(len(_HEADER) + len(name) for name in written)
    most = _common_length(sorted(map(len, written.values())), room)
    if most < len(_written(CUT)) and any(len(value) > most for value in written.values()):
        raise InvalidValue(f"an object's metadata of {len(written)} names does not fit into {MOST_BYTES} bytes")
    return {name: value if len(value) <= most else _cut(metadata[name], most) for name, value in written.items()}


def decoded(headers: Mapping[str, str]) -> dict[str, str]:
    """The original values; what another program wrote without encoding stays as it is."""
    return {name.lower(): unquote(value, errors="replace") for name, value in headers.items()}


def _written(text: str) -> str:
    inner = quote(text, safe=_PLAIN, errors="replace")
    # HTTP strips spaces at both ends of a value, and some stores collapse several within it.
    return re.sub(r"^ | $|(?<= ) ", "%20", inner)


def _common_length(lengths: Sequence[int], room: int) -> int:
    """The length to which the long ones must be cut, so that all fit. `lengths` are sorted."""
    for place, length in enumerate(lengths):
        share = room // (len(lengths) - place)
        if length > share:
            return share
        room -= length
    return max(lengths, default=0)


def _cut(text: str, most: int) -> str:
    kept = text[:most]
    while len(_written(kept + CUT)) > most:
        kept = kept[:-1]
    return _written(kept + CUT)
