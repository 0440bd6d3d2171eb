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
    """One figure beside its goal. `details` are the figures that it was made of."""

    what: str
    value: float
    unit: str
    goal: float
    better: Literal["more", "less"]
    details: str = ""

    @property
    def met(self) -> bool:
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
        sign = ">=" if measure.better == "more" else "<="
        verdict = "ok    " if measure.met else "MISSED"
        goal = f"{sign} {measure.goal:g} {measure.unit}"
        print(
            f"{verdict} {measure.what:{width}} {measure.value:10.3g} {measure.unit:8} goal {goal:14} {measure.details}"
        )
    print(json.dumps([{**asdict(measure), "met": measure.met} for measure in measures]))
    sys.stdout.flush()
    return all(measure.met for measure in measures)
