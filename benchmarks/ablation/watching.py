"""Which functions of the layout engine run while a document is read, and what its predicates answer."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType

from benchmarks.ablation.rules import Rule
from blobforge.processors.pdf_markdown import layout

_FOLDER = layout.__path__[0]


@dataclass(slots=True)
class Seen:
    """Functions by module and qualified name."""

    called: set[str] = field(default_factory=set)
    answers: set[tuple[str, bool]] = field(default_factory=set)

    def concerns(self, rule: Rule, variant: str) -> bool:
        """Whether the document may come out otherwise: a predicate has answered otherwise, a constant was used."""
        if rule.readers is None:
            return True
        if rule.is_predicate:
            return any((reader, variant == "never") in self.answers for reader in rule.readers)
        return not rule.readers.isdisjoint(self.called)


@contextmanager
def watched() -> Iterator[Seen]:
    seen = Seen()
    names: dict[CodeType, str] = {}

    def watch(frame: FrameType, event: str, answer: object) -> None:
        if event == "return":
            name = names.get(frame.f_code)
            if name is None:
                name = names[frame.f_code] = _name_of(frame)
            if name:
                seen.called.add(name)
                if isinstance(answer, bool):
                    seen.answers.add((name, answer))

    sys.setprofile(watch)
    try:
        yield seen
    finally:
        sys.setprofile(None)


def _name_of(frame: FrameType) -> str:
    """Nothing for what is not of the engine; what is within a function counts as that function."""
    if not frame.f_code.co_filename.startswith(_FOLDER):
        return ""
    return f"{frame.f_globals['__name__']}:{frame.f_code.co_qualname.partition('.<locals>')[0]}"
