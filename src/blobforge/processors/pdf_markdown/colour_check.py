"""Whether the colours of an image are in the file. Without them readers draw nothing, and say nothing of it."""

from typing import Any

import pikepdf

from blobforge.processors.pdf_markdown.stream_decoding import decoded

_COMPONENTS = {
    **dict.fromkeys(("/DeviceGray", "/G", "/CalGray"), 1),
    **dict.fromkeys(("/DeviceRGB", "/RGB", "/CalRGB", "/Lab"), 3),
    **dict.fromkeys(("/DeviceCMYK", "/CMYK"), 4),
}
_MEASURED = frozenset(("/CalGray", "/CalRGB", "/Lab"))
_DEEPEST = 4
"""A palette of a tint of a profile: there is no more to nest."""


class ColourCheck:
    """Of one document: its images share their profiles, which are long."""

    def __init__(self) -> None:
        self._profiles: dict[tuple[int, int], int] = {}

    def components(self, space: Any, *, depth: int = _DEEPEST) -> int:
        """How many numbers make a colour; 0 where the file does not have it all. Raises what pikepdf does, and
        LookupError."""
        if not depth or not isinstance(space, (pikepdf.Name, pikepdf.Array)):
            return 0
        parts = list(space) if isinstance(space, pikepdf.Array) else [space]
        kind = str(parts[0])
        match kind:
            case "/ICCBased":
                return self._profile(parts[1])
            case "/Indexed" | "/I":
                of_entry = self.components(parts[1], depth=depth - 1)
                return 1 if of_entry and len(_bytes(parts[3])) >= (int(parts[2]) + 1) * of_entry else 0
            case "/Separation" | "/DeviceN":
                is_there = self.components(parts[2], depth=depth - 1) and _is_function(parts[3])
                return 0 if not is_there else len(parts[1]) if isinstance(parts[1], pikepdf.Array) else 1
        if len(parts) > 1 and kind in _MEASURED and not isinstance(parts[1], pikepdf.Dictionary):
            return 0
        return _COMPONENTS.get(kind, 0)

    def _profile(self, profile: Any) -> int:
        if not isinstance(profile, pikepdf.Stream):
            return 0
        known = self._profiles.get(profile.objgen)
        if known is None:
            known = self._profiles[profile.objgen] = _components_of_profile(profile)
        return known


def _components_of_profile(profile: pikepdf.Stream) -> int:
    """What is wrong within it does not matter to readers, who go by the number alone."""
    told = int(profile.get("/N", 0))
    return told if told in _COMPONENTS.values() and decoded(profile).whole else 0


def _bytes(palette: Any) -> bytes:
    if not isinstance(palette, pikepdf.Stream):
        return bytes(palette)
    text, whole = decoded(palette)
    return text if whole else b""


def _is_function(part: Any) -> bool:
    return decoded(part).whole if isinstance(part, pikepdf.Stream) else isinstance(part, pikepdf.Dictionary)
