"""The protocol between parent and child: one JSON object a line."""

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Failure
from blobforge.ports.processor import DocumentLimits, Gap, Plan, Product, Progress, Slice, Task

Kind = TypeVar("Kind")


class Operation(StrEnum):
    """What a child is asked to do."""

    CONVERT = "convert"
    """Plan, and when one slice is enough, do it and join: one exchange for a small document."""
    PLAN = "plan"
    RUN = "run"
    JOIN = "join"


class Request(NamedTuple):
    """Messages of a child name the `id` of the request: so a late answer is not taken for one to the next request."""

    operation: Operation
    task: Task
    plan: Plan | None = None
    part: Slice | None = None
    gaps: tuple[Gap, ...] = ()
    id: str = ""


class Planned(NamedTuple):
    """The document wants more than one slice."""

    plan: Plan


class SliceDone(NamedTuple):
    """The slice is in the workspace, for the join."""

    part: Slice


class Produced(NamedTuple):
    """As the child claims; `acceptance` validates it."""

    product: Product


class Refused(NamedTuple):
    """The processor raised; `spent` children are not used again."""

    failure: Failure
    details: str
    spent: bool


Answer = Planned | SliceDone | Produced | Refused


class Reply(NamedTuple):
    """An answer, the most memory that the child has held so far, and the processor time that this answer took it and
    the programs that it started."""

    answer: Answer
    peak_memory: int
    cpu_seconds: float = 0.0


def encode_request(request: Request) -> bytes:
    task = request.task
    return _line(
        {
            "id": request.id,
            "operation": request.operation,
            "source": str(task.source),
            "source_name": task.source_name,
            "source_hash": task.source_hash,
            "workspace": str(task.workspace),
            "options": task.options,
            "secrets": task.secrets,
            "may_decline": task.may_decline,
            "limits": task.limits,
            "plan": None if request.plan is None else _plan_out(request.plan),
            "part": request.part,
            "gaps": request.gaps,
        }
    )


def decode_request(line: bytes) -> Request:
    said: dict[str, Any] = json.loads(line)
    task = Task(
        source=Path(said["source"]),
        source_name=said["source_name"],
        source_hash=SourceHash(said["source_hash"]),
        workspace=Path(said["workspace"]),
        options=said["options"],
        secrets=said["secrets"],
        may_decline=said["may_decline"],
        limits=DocumentLimits(*said["limits"]),
    )
    return Request(
        operation=Operation(said["operation"]),
        task=task,
        plan=None if said["plan"] is None else _plan_in(said["plan"]),
        part=None if said["part"] is None else _slice_in(said["part"]),
        gaps=tuple(Gap(Slice(*part), code, message) for part, code, message in said["gaps"]),
        id=said["id"],
    )


def encode_progress(progress: Progress, *, to: str) -> bytes:
    stage, current, total = progress
    # Libraries count in floats and in numbers of their own.
    return _line({"to": to, "progress": (str(stage), int(current), int(total))})


def encode_reply(reply: Reply, *, to: str) -> bytes:
    said = {"to": to, "peak_memory": reply.peak_memory, "cpu_seconds": reply.cpu_seconds}
    return _line({"answer": _answer_out(reply.answer), **said})


def decode_from_child(line: bytes, *, asked: str) -> Progress | Reply:
    """Raises ValueError for anything that a child of ours would not say to the request of that id."""
    try:
        return _heard(json.loads(line, parse_constant=_refuse), asked)
    except (KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"not a message of ours: {error!r}") from error


def is_answer_to(request: Request, answer: Answer) -> bool:
    """Whether this kind of answer was asked for."""
    match answer:
        case Refused():
            return True
        case Planned():
            return request.operation in (Operation.CONVERT, Operation.PLAN)
        case SliceDone(part):
            return request.operation is Operation.RUN and request.part == part
        case Produced():
            return request.operation in (Operation.CONVERT, Operation.JOIN)


def _heard(said: Any, asked: str) -> Progress | Reply:
    if said["to"] != asked:
        raise ValueError("it answers another request")
    if "progress" in said:
        stage, current, total = said["progress"]
        return Progress(_of(str, stage), _of(int, current), _of(int, total))
    answer, peak = _answer_in(said["answer"]), _of(int, said["peak_memory"])
    return Reply(answer, peak, max(_of(float, said.get("cpu_seconds", 0.0)), 0.0))


def _answer_out(answer: Answer) -> Mapping[str, object]:
    match answer:
        case Planned(plan):
            return {"planned": _plan_out(plan)}
        case SliceDone(part):
            return {"done": part}
        case Produced(product):
            return {"produced": {"archive": str(product.archive), "summary": product.summary}}
        case Refused(failure, details, spent):
            return {"refused": failure, "details": details, "spent": spent}


def _answer_in(said: Any) -> Answer:
    if "planned" in said:
        return Planned(_plan_in(said["planned"]))
    if "done" in said:
        return SliceDone(_slice_in(said["done"]))
    if "produced" in said:
        made = said["produced"]
        return Produced(Product(archive=Path(made["archive"]), summary=_of(dict, made["summary"])))
    return Refused(_failure_in(*said["refused"]), _of(str, said["details"]), _of(bool, said["spent"]))


def _failure_in(code: Any, message: Any, retryable: Any, stage: Any, page: Any) -> Failure:
    return Failure(
        code=_of(str, code),
        message=_of(str, message),
        retryable=_of(bool, retryable),
        stage=None if stage is None else _of(str, stage),
        page=None if page is None else _of(int, page),
    )


def _plan_out(plan: Plan) -> Mapping[str, object]:
    return {"slices": plan.slices, "notes": plan.notes}


def _plan_in(said: Any) -> Plan:
    return Plan(slices=tuple(_slice_in(part) for part in said["slices"]), notes=_of(dict, said["notes"]))


def _slice_in(said: Any) -> Slice:
    first, last = said
    if not 1 <= _of(int, first) <= _of(int, last):
        raise ValueError(f"{first} to {last} is no slice")
    return Slice(first, last)


def _of(kind: type[Kind], value: Any) -> Kind:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _line(said: Mapping[str, object]) -> bytes:
    # ASCII, so that a name with a lone surrogate or a newline stays one line and one meaning.
    return json.dumps(said, separators=(",", ":")).encode("ascii") + b"\n"
