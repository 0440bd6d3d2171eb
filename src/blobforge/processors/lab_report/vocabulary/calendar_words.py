"""Names of months and days, and the words beside an hour."""

from itertools import chain

from blobforge.processors.lab_report.vocabulary.languages import language_files, terms
from blobforge.processors.lab_report.vocabulary.patterns import any_term

_LISTS = [each.terms.get("dates", {}).get("months", ()) for each in language_files()]
MONTHS = tuple(
    tuple(dict.fromkeys(chain.from_iterable(month.split("|") for month in same)))
    for same in zip(*filter(None, _LISTS), strict=True)
)
"""How the name of each month begins, in all languages."""
WEEKDAY = any_term("dates", "weekdays")
HOURS = terms("dates", "hours")
