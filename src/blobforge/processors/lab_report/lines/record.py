"""The record of a line: which rule read it, and the observations that it holds."""

from dataclasses import dataclass, replace
from enum import StrEnum

from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.tagged_line import TaggedLine


class Rule(StrEnum):
    """What a line was read as. The values are printed in the raw form."""

    UNREAD = "none"
    HEADER = "header"
    TABLE_ROW = "table row"
    FREE_ROW = "free row"
    BARE_ROW = "bare row"
    """A name and a number: a result only by what stands around it."""
    RUNNING_TEXT = "running text"
    WORDS = "result in words"
    NAMELESS = "nameless"
    """A value whose name is yet to be found; no report is handed over with one."""
    TWO_LINES = "name in another line"
    OTHER_UNIT = "other unit"
    CONTINUATION = "continuation"
    RANGE_ABOVE = "range above"
    EARLIER = "earlier result"
    SCALE = "scale"
    NOTE = "note"
    REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class LineRecord:
    """A pass that learns more of a line puts another record in the place of this one."""

    line: TaggedLine
    rule: Rule = Rule.UNREAD
    observations: tuple[Observation, ...] = ()

    def read_as(self, rule: Rule, *observations: Observation) -> "LineRecord":
        return LineRecord(self.line, rule, observations)

    def with_observations(self, *observations: Observation) -> "LineRecord":
        """By the same rule as before."""
        return replace(self, observations=observations)

    def with_last(self, observation: Observation) -> "LineRecord":
        """Another in the place of the last observation."""
        return replace(self, observations=(*self.observations[:-1], observation))
