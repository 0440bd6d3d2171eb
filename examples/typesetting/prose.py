"""Fills sentence patterns with a topic's own words, so that no two chapters read alike."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What one chapter is about, in phrases that fit into sentences."""

    title: str
    thing: str
    is_plural: bool
    parts_are_objects: bool
    hand: str
    phrases: Mapping[str, Sequence[str]]


def read_topics() -> list[Topic]:
    return [_topic(table) for table in _read("handbook_topics.toml")["topic"]]


def _topic(table: Mapping[str, Any]) -> Topic:
    own = {name: table[name] for name in ("title", "thing", "is_plural", "parts_are_objects", "hand")}
    phrases = {name.removesuffix("s"): _phrases(text) for name, text in table.items() if name not in own}
    return Topic(**own, phrases=phrases)


def _phrases(text: str) -> Sequence[str]:
    return [" ".join(phrase.split()) for phrase in text.split(";")]


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


class Bag:
    """Hands out its contents in random order, and fills up again when it is empty."""

    def __init__(self, contents: Sequence[str], dice: Random) -> None:
        self._contents = tuple(contents)
        self._dice = dice
        self._left: list[str] = []

    def draw(self) -> str:
        if not self._left:
            self._left = self._dice.sample(self._contents, len(self._contents))
        return self._left.pop()


class Scribe:
    """Writes a handbook. Patterns and phrases come from bags: each is used once before any is used again."""

    def __init__(self, dice: Random) -> None:
        source = _read("handbook_sentences.toml")
        self._dice = dice
        self._sentences: Mapping[str, Sequence[str]] = source["sentences"]
        self._words = {name: Bag(words, dice) for name, words in source["words"].items()}
        self._patterns: Mapping[str, Bag] = {}
        self._slots: Mapping[str, Callable[[], str]] = {}
        self._written: set[str] = set()

    def turn_to(self, topic: Topic) -> None:
        """Begins a chapter: with full bags, so that no pattern comes twice in it."""
        self._patterns = {kind: Bag(patterns, self._dice) for kind, patterns in self._sentences.items()}
        bags = self._words | {name: Bag(phrases, self._dice) for name, phrases in topic.phrases.items()}
        slots: dict[str, Callable[[], str]] = {name: bag.draw for name, bag in bags.items()}
        slots |= {f"other_{name}": bags[name].draw for name in ("part", "fault", "tool")}
        slots |= {
            "thing": lambda: topic.thing,
            "hand": lambda: topic.hand,
            "is": lambda: "are" if topic.is_plural else "is",
            "has": lambda: "have" if topic.is_plural else "has",
            "come": lambda: "come" if topic.is_plural else "comes",
            "call": lambda: "call" if topic.is_plural else "calls",
            "part_alone": lambda: capitalised(bags["part"].draw().removeprefix("the ")),
            "year": lambda: str(self._dice.randint(1961, 2019)),
        }
        self._slots = slots

    def in_random_order(self, phrases: Sequence[str]) -> list[str]:
        return self._dice.sample(phrases, len(phrases))

    def draw(self, slot: str) -> str:
        return self._slots[slot]()

    def sentence(self, kind: str) -> str:
        """One sentence of this kind, in words not used before if its pattern has any left."""
        pattern = self._patterns[kind].draw()
        for _ in range(8):
            text = self._fill(pattern)
            if text not in self._written:
                break
        self._written.add(text)
        return text

    def paragraph(self, *kinds: str) -> str:
        return " ".join(capitalised(self.sentence(kind)) for kind in kinds)

    def _fill(self, pattern: str) -> str:
        chosen = re.sub(r"\[([^\]]+)\]", lambda match: self._dice.choice(match[1].split("|")), pattern)
        return re.sub(r"\{(\w+)\}", lambda match: self.draw(match[1]), chosen)


def capitalised(text: str) -> str:
    return text[0].upper() + text[1:]
