"""Lab reports that the tests make, in all seven languages, and what must not be told of them."""

import re
from functools import cache

from benchmarks.lab_reports.content import GERMAN, TONGUES, Tongue
from benchmarks.lab_reports.layouts import LAYOUTS
from benchmarks.lab_reports.printing import print_report

__all__ = ["GERMAN", "TONGUES", "Tongue", "report", "words_of"]


@cache
def report(tongue: Tongue = GERMAN) -> bytes:
    return print_report(LAYOUTS[0], tongue).pdf


def words_of(tongue: Tongue) -> set[str]:
    """Whatever stands in a report and cannot stand in a log by chance."""
    named = {tongue.first, tongue.second, tongue.birthday, *(word for word in tongue.remark.split() if len(word) > 6)}
    named |= {result.name for result in tongue.results}
    values = {result.value.replace(".", tongue.mark) for result in tongue.results} | {r.value for r in tongue.results}
    # A short number such as 42 is also an id or a time.
    return named | {value for value in values if re.search(r"\d[.,]\d", value)}
