"""Contestants that take turns, compared round by round, so that a slow minute hurts all of them alike."""

import statistics
from collections.abc import Callable, Mapping
from typing import Literal

from benchmarks.harness import Measure

Contestants = Mapping[str, Callable[[], float]]


class Rounds:
    def __init__(self, contestants: Contestants, *, rounds: int) -> None:
        self._figures: dict[str, list[float]] = {name: [] for name in contestants}
        for _ in range(rounds):
            for name, contestant in contestants.items():
                self._figures[name].append(contestant())

    def median(self, name: str) -> float:
        return statistics.median(self._figures[name])

    def told(self, name: str, form: Callable[[float], str]) -> str:
        """The median and, in brackets, the least and the most."""
        figures = self._figures[name]
        return f"{name} {form(self.median(name))} ({form(min(figures))}–{form(max(figures))})"

    def ratio(
        self,
        ours: str,
        theirs: str,
        *,
        what: str,
        goal: float | None,
        form: Callable[[float], str],
        better: Literal["more", "less"] = "more",
        note: str = "",
    ) -> Measure:
        """The median of the rounds' ratios."""
        ratios = [mine / its for mine, its in zip(self._figures[ours], self._figures[theirs], strict=True)]
        details = (
            f"{self.told(ours, form)} against {self.told(theirs, form)}; ratios {min(ratios):.2f}–{max(ratios):.2f}"
        )
        return Measure(
            what=what,
            value=statistics.median(ratios),
            unit="x",
            goal=goal,
            better=better,
            details=f"{details}; {note}" if note else details,
        )


def per_second(rate: float) -> str:
    return f"{rate:,.0f}/s"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
