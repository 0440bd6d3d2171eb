"""What parent and child say to each other comes through whole, and nothing else is believed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Failure
from blobforge.ports.processor import Gap, Plan, Product, Progress, Slice, Task
from blobforge.worker.messages import (
    Answer,
    Operation,
    Planned,
    Produced,
    Refused,
    Reply,
    Request,
    SliceDone,
    decode_from_child,
    decode_request,
    encode_progress,
    encode_reply,
    encode_request,
    is_answer_to,
)

# A file's name may hold any byte but a null: what is no text comes as a lone low surrogate.
TEXT = st.text(st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF))
NAMES = TEXT | st.just("two\nlines\r\u2028.pdf") | st.just("\udcff\udcfe.pdf")
PATHS = NAMES.map(lambda name: Path("/folder", name))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=3)
SLICES = st.tuples(st.integers(1, 10_000), st.integers(0, 50)).map(lambda two: Slice(two[0], two[0] + two[1]))
PLANS = st.builds(Plan, slices=st.lists(SLICES, max_size=4).map(tuple), notes=OBJECTS)
GAPS = st.lists(st.builds(Gap, SLICES, TEXT, TEXT), max_size=3).map(tuple)
TASKS = st.builds(
    Task,
    source=PATHS,
    source_name=NAMES,
    source_hash=TEXT.map(SourceHash),
    workspace=PATHS,
    options=OBJECTS,
    secrets=st.dictionaries(TEXT, TEXT, max_size=2),
)
REQUESTS = st.builds(Request, st.sampled_from(Operation), TASKS, st.none() | PLANS, st.none() | SLICES, GAPS, TEXT)
FAILURES = st.builds(Failure, TEXT, TEXT, st.booleans(), st.none() | TEXT, st.none() | st.integers())
ANSWERS: st.SearchStrategy[Answer] = st.one_of(
    st.builds(Planned, PLANS),
    st.builds(SliceDone, SLICES),
    st.builds(Produced, st.builds(Product, archive=PATHS, summary=OBJECTS)),
    st.builds(Refused, FAILURES, TEXT, st.booleans()),
)
TASK = Task(source=Path("s"), source_name="s", source_hash=SourceHash("0"), workspace=Path("w"))
PART = Slice(2, 3)


@settings(deadline=None, database=None)
@given(REQUESTS)
def test_a_request_comes_back_as_it_was(request: Request) -> None:
    line = encode_request(request)

    assert line.count(b"\n") == 1
    assert decode_request(line) == request


@settings(deadline=None, database=None)
@given(ANSWERS, st.integers())
def test_a_reply_comes_back_as_it_was(answer: Answer, peak_memory: int) -> None:
    line = encode_reply(Reply(answer, peak_memory), to="7")

    assert line.count(b"\n") == 1
    assert decode_from_child(line, asked="7") == Reply(answer, peak_memory)


@settings(deadline=None, database=None)
@given(st.builds(Progress, TEXT, st.integers(), st.integers()))
def test_progress_comes_back_as_it_was(progress: Progress) -> None:
    assert decode_from_child(encode_progress(progress, to="7"), asked="7") == progress


def test_progress_that_is_counted_in_fractions_comes_as_whole_numbers() -> None:
    line = encode_progress(Progress("reading", 2.0, 3.7), to="7")  # type: ignore[arg-type]

    assert decode_from_child(line, asked="7") == Progress("reading", 2, 3)


@pytest.mark.parametrize(
    "line", [encode_progress(Progress("reading", 1, 2), to="6"), encode_reply(Reply(SliceDone(PART), 1), to="6")]
)
def test_what_answers_an_earlier_request_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match="another request"):
        decode_from_child(line, asked="7")


def reply(answer: object, peak_memory: object = 1) -> object:
    return {"to": "7", "answer": answer, "peak_memory": peak_memory}


@pytest.mark.parametrize(
    "said",
    [
        [],
        7,
        "progress",
        None,
        {},
        {"to": "7", "progress": ["reading", 1]},
        {"to": "7", "progress": [1, 1, 1]},
        {"to": "7", "progress": ["reading", "1", 1]},
        reply({}),
        reply({"done": [1, 1]}, peak_memory="much"),
        reply({"done": [2, 1]}),
        reply({"done": [0, 1]}),
        reply({"done": ["a", "b"]}),
        reply({"planned": {"slices": [[1]], "notes": {}}}),
        reply({"planned": {"slices": [], "notes": []}}),
        reply({"produced": {"archive": 1, "summary": {}}}),
        reply({"produced": {"archive": "a", "summary": []}}),
        reply({"refused": ["code"], "details": "", "spent": False}),
        reply({"refused": [{}, "message", True, None, None], "details": "", "spent": False}),
        reply({"refused": ["code", "message", 1, None, None], "details": "", "spent": False}),
    ],
)
def test_what_a_child_of_ours_would_not_say_is_refused(said: object) -> None:
    with pytest.raises(ValueError):
        decode_from_child(json.dumps(said).encode(), asked="7")


@pytest.mark.parametrize("line", [b"", b"hello", b"\xff", b"[" * 100_000, b'{"progress": ["x", NaN, 1]}', b"9" * 5000])
def test_what_is_no_json_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError):
        decode_from_child(line, asked="7")


@settings(deadline=None, database=None)
@given(st.binary() | VALUES.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_child_says_is_understood_or_refused(line: bytes) -> None:
    try:
        heard = decode_from_child(line, asked="7")
    except ValueError:
        return

    assert isinstance(heard, Progress | Reply)


@pytest.mark.parametrize(
    ("answer", "operations"),
    [
        (Planned(Plan(slices=())), {Operation.CONVERT, Operation.PLAN}),
        (SliceDone(PART), {Operation.RUN}),
        (SliceDone(Slice(1, 1)), set()),
        (Produced(Product(archive=Path("a"), summary={})), {Operation.CONVERT, Operation.JOIN}),
        (Refused(Failure("code", "message"), "", spent=False), set(Operation)),
    ],
)
def test_an_answer_fits_only_what_was_asked(answer: Answer, operations: set[Operation]) -> None:
    fitting = {operation for operation in Operation if is_answer_to(Request(operation, TASK, part=PART), answer)}

    assert fitting == operations
