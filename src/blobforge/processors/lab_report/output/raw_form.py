"""The raw result: version, pipeline, and each line with its place, its printed text and the rule that read it."""

from collections.abc import Sequence

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.record import LineRecord, Rule
from blobforge.processors.lab_report.report import LabReport

FORMAT = 1
_PERSON = "person"
"""Of a line that no rule read, and that tells who the patient is."""


def raw_form(report: LabReport, *, version: str, model: str, components: Sequence[str]) -> JsonObject:
    return {
        "format": FORMAT,
        "version": version,
        "pipeline": {"model": model, "components": list(components)},
        "decimal_mark": report.decimal_mark,
        "rows": [_row(row, is_person=place in report.person.rows) for place, row in enumerate(report.rows)],
    }


def _row(row: LineRecord, *, is_person: bool) -> JsonObject:
    told: dict[str, JsonValue] = {
        "page": row.line.row.page,
        "box": [round(side, 1) for side in row.line.row.box],
        "text": row.line.row.text,
        "rule": _PERSON if is_person and row.rule is Rule.UNREAD else row.rule.value,
    }
    if row.observations:
        told["readings"] = [_observation(observation) for observation in row.observations]
    return told


def _observation(observation: Observation) -> JsonObject:
    return {name: value for name, value in observation._asdict().items() if value not in (None, "")}
