"""The versions of this processor. Whatever changes its output adds one here, which makes results of the others old."""

from blobforge.ports.processor import VersionChange

CHANGES = (
    VersionChange("1", "the first version"),
    VersionChange(
        "2",
        "reads tables, free lines, panels side by side, cards and running text; knows more names, units and codes, "
        "and tells the person and the dates apart more often",
    ),
    VersionChange(
        "3",
        "one list of words where several had drifted apart: specimens of sections, techniques and titles are known "
        "more often; the language of very short reports may be another",
    ),
)
VERSION = CHANGES[-1].version
