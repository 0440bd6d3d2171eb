"""The raw result: version, pipeline, and each line with its place, its printed text and the rule that read it."""

from collections.abc import Sequence

from blobforge.domain.json_value import JsonObject, JsonValue
from blobforge.processors.lab_report.found import Found
from blobforge.processors.lab_report.readings import Reading
from blobforge.processors.lab_report.report import Report

FORMAT = 1


def raw_form(report: Report, *, version: str, model: str, components: Sequence[str]) -> JsonObject:
    return {
        "format": FORMAT,
        "version": version,
        "pipeline": {"model": model, "components": list(components)},
        "decimal_mark": report.decimal_mark,
        "rows": [_row(row, is_person=place in report.person.rows) for place, row in enumerate(report.rows)],
    }


def _row(row: Found, *, is_person: bool) -> JsonObject:
    told: dict[str, JsonValue] = {
        "page": row.line.row.page,
        "box": [round(side, 1) for side in row.line.row.box],
        "text": row.line.row.text,
        "rule": row.rule or ("person" if is_person else "none"),
    }
    if row.readings:
        told["readings"] = [_reading(reading) for reading in row.readings]
    return told


def _reading(reading: Reading) -> JsonObject:
    return {name: value for name, value in reading._asdict().items() if value not in (None, "")}
