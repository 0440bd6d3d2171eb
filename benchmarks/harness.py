"""What all benchmarks share: interleaved repetitions, medians, goals, a table and JSON."""

import json
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

REPETITIONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One figure beside its goal, if it has one. `details` are the figures that it was made of."""

    what: str
    value: float
    unit: str
    goal: float | None
    better: Literal["more", "less"] = "more"
    details: str = ""

    @property
    def met(self) -> bool:
        if self.goal is None:
            return True
        return self.value >= self.goal if self.better == "more" else self.value <= self.goal


def interleaved(contestants: Sequence[Callable[[], float]], *, repetitions: int = REPETITIONS) -> list[float]:
    """The median of each; they take turns, so that a slow minute of the machine hurts all of them alike."""
    figures: list[list[float]] = [[] for _ in contestants]
    for _ in range(repetitions):
        for place, contestant in enumerate(contestants):
            figures[place].append(contestant())
    return [statistics.median(figure) for figure in figures]


def report(measures: Iterable[Measure]) -> bool:
    """Prints the table, then one line of JSON. True when every goal is met."""
    measures = list(measures)
    width = max((len(measure.what) for measure in measures), default=0)
    for measure in measures:
        print(
            f"{_verdict(measure)} {measure.what:{width}} {measure.value:10.3g} {measure.unit:8} {_goal(measure):19} "
            f"{measure.details}"
        )
    print(json.dumps([{**asdict(measure), "met": measure.met} for measure in measures]))
    sys.stdout.flush()
    return all(measure.met for measure in measures)


def _verdict(measure: Measure) -> str:
    if measure.goal is None:
        return "      "
    return "ok    " if measure.met else "MISSED"


def _goal(measure: Measure) -> str:
    if measure.goal is None:
        return ""
    sign = ">=" if measure.better == "more" else "<="
    return f"goal {sign} {measure.goal:g} {measure.unit}"
