"""A Containerfile as its stages, each with its instructions: enough to see what an image is made of."""

import re
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    name: str
    text: str


class Stage(NamedTuple):
    base: str
    instructions: list[Instruction]

    def lines(self, name: str) -> list[str]:
        return [instruction.text for instruction in self.instructions if instruction.name == name]


def stages_of(path: Path) -> dict[str, Stage]:
    """By their names, in their order; every stage must have one."""
    stages: dict[str, Stage] = {}
    instructions: list[Instruction] = []
    for name, text in _instructions(path.read_text(encoding="utf-8")):
        if name == "FROM":
            base, _, stage = text.partition(" AS ")
            assert stage, f"{text}: this stage has no name"
            instructions = []
            stages[stage] = Stage(base, instructions)
        instructions.append(Instruction(name, text))
    return stages


def _instructions(text: str) -> list[Instruction]:
    without_comments = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE)
    logical = re.sub(r"\\\n\s*", "", without_comments).splitlines()
    return [Instruction(*line.split(" ", 1)) for line in logical if line.strip()]
