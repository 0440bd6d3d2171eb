"""Lab reports that are typeset here, in many layouts and seven languages, each with its truth."""

from benchmarks.lab_reports.printing import make_all

__all__ = ["make_all"]
