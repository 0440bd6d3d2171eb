"""The table of requirements: each line with the tests that name it in their docstrings."""

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

from docs.requirement_lines import lines

ROOT = Path(__file__).parents[1]
PLACES = ("tests", "src/blobforge/testing")
NAMED = re.compile(r"\bR[0-3]-[0-9]+\b")

INTRODUCTION = """# Requirements

What documents 000 (R0) and 002 (R2) ask of the queue in a bucket, 001 (R1) of the server, and 003 (R3) of the worker
on a foreign database, line by line, and the tests that hold it. Lines of R1 whose part is not there yet
are left out. A test names its lines in its docstring; this page is made from them
(`python -m docs.generate_reference`), and a test fails when a line has none.
Where a line was replaced by something better, the table says by what.

| line | what it asks | held by |
|---|---|---|
"""


def render() -> str:
    held = held_by_line()
    rows = []
    for number, (asks, instead) in lines().items():
        words = f"{asks}. *Now:* {instead}" if instead else asks
        rows.append(f"| {number} | {words} | {'<br>'.join(held.get(number, ['**nothing**']))} |")
    return INTRODUCTION + "\n".join(rows) + "\n"


@cache
def held_by_line() -> dict[str, list[str]]:
    held: dict[str, list[str]] = defaultdict(list)
    for path in sorted(path for place in PLACES for path in (ROOT / place).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                for number in dict.fromkeys(NAMED.findall(ast.get_docstring(node) or "")):
                    held[number].append(
                        f"`{path.relative_to(ROOT)}` {node.name.removeprefix('test_').replace('_', ' ')}"
                    )
    return held
