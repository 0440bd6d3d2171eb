"""Names of several lines: the result may stand beside the last one or beside the middle one."""

import pytest
from tests.unit.processors.lab_report.test_wrapped_heads import read

HEAD = (0.0, "Test                    Result     Units      Range")
SODIUM = "Sodium                  139        mmol/L     136-145"
CHLORIDE = "Chloride                101        mmol/L     98-107"


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (("White Blood", "Cells                   11.9       10^9/L     4-11"), "White Blood Cells"),
        (("Qwert Zuiop", "Asdfg                   11.9       10^9/L     4-11"), "Qwert Zuiop Asdfg"),
        (("GOT (Ultra High", "Sensitivity)            11.9       10^9/L     4-11"), "GOT (Ultra High Sensitivity)"),
        (("Gamma                   11.9       10^9/L     4-11", "Index Quotient"), "Gamma Index Quotient"),
        (("Gamma                   11.9       10^9/L     4-11", "Photometry"), "Gamma"),
        (("One", "Two", "Three                   11.9       10^9/L     4-11"), "One Two Three"),
        (("One", "Two                     11.9       10^9/L     4-11", "Three"), "One Two Three"),
    ],
)
def test_lines_closer_than_rows_are_one_name(lines: tuple[str, ...], name: str) -> None:
    own = [(42 + 12.0 * place, text) for place, text in enumerate(lines)]

    found = read(HEAD, (20, SODIUM), *own, (own[-1][0] + 22, CHLORIDE))

    assert [reading.name for reading in found] == ["Sodium", name, "Chloride"]


def test_a_heading_keeps_the_distance_of_a_row() -> None:
    found = read(HEAD, (20, "Serum"), (32, "Protein                 70         g/L        64-83"), (44, SODIUM))

    assert [reading.name for reading in found] == ["Protein", "Sodium"]


def test_a_heading_in_capitals_is_no_part_of_a_name() -> None:
    found = read(HEAD, (20, "PROTEINS"), (32, "Protein                 70         g/L        64-83"), (54, SODIUM))

    assert [reading.name for reading in found] == ["Protein", "Sodium"]


def test_a_ratio_in_brackets_below_a_name_is_part_of_it() -> None:
    (first, _) = read(
        HEAD, (20, "Thromboplastin time     0.97                  0.82-1.25"), (32, "(ratio)"), (54, SODIUM)
    )

    assert (first.name, first.unit) == ("Thromboplastin time (ratio)", None)
