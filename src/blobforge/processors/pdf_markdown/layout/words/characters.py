"""Cleans characters: drops invisible ones, and expands ligatures and presentation forms."""

import re
import unicodedata

LOST = "\ufffd"
"""What stands for no known character."""
SOFT_HYPHEN = "\u00ad"
_SHAPED = re.compile("[ﬀ-ﬆ\u2f00-\u2fd5\ufe10-\ufe19\ufe30-\ufe4f]+")
"""Ligatures, radicals that stand for their characters, and punctuation as it is shaped in columns."""
_UNSEEN = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]|\u00ad(?!$)")
_CONTROL = re.compile("[\x00-\x1f\x7f]")
_UNUSUAL = re.compile(f"{_SHAPED.pattern}|{_UNSEEN.pattern}|{_CONTROL.pattern}")


def cleaned(text: str) -> str:
    """Characters as they are written, without those that are not seen; what stands for no character is lost."""
    if _UNUSUAL.search(text) is None:
        return text
    text = _UNSEEN.sub("", _CONTROL.sub(LOST, text))
    return _SHAPED.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
