"""How much is measured: all that a figure needs, or little, to see that everything still runs."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    rounds: int
    share: float

    def of(self, count: int, *, least: int = 1) -> int:
        """So much of a full count, in whole multiples of the least that makes sense."""
        return max(int(count * self.share) // least, 1) * least


FULL = Effort(rounds=3, share=1.0)
QUICK = Effort(rounds=1, share=0.1)
