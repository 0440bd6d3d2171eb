# ruff: noqa: RUF001 - Cyrillic words
"""Heads that are broken over two lines are the heads that they are in one."""

from tests.unit.processors.lab_report.sheets import moved, reader, words

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.lines import lines_of
from blobforge.processors.lab_report.observations import read_lines
from blobforge.processors.lab_report.readings import Reading
from blobforge.processors.lab_report.rows import rows_of
from blobforge.processors.lab_report.words import Word


def read(*lines: tuple[float, str]) -> list[Reading]:
    page: list[Word] = [word for fall, text in lines for word in moved(words(text), fall)]
    found = read_lines(lines_of(rows_of(1, page), reader()), table())
    return [reading for each in found for reading in each.readings]


def test_the_first_word_of_a_head_may_stand_above() -> None:
    (reading,) = read(
        (0, "                    Референсные"),
        (12, "Показатель          значения        Результат     Ед. изм."),
        (30, "Холестерин          < 5,2           5,9           ммоль/л"),
    )

    assert (reading.value, reading.range, reading.unit) == ("5,9", "< 5,2", "ммоль/л")


def test_a_head_may_stand_above_and_below_the_line_of_the_others() -> None:
    (reading,) = read(
        (0, "                    Valores de"),
        (6, "Prueba                              Resultado     Unidades"),
        (12, "                    referencia"),
        (30, "Colesterol          hasta 200       226           mg/dL"),
    )

    assert (reading.value, reading.range, reading.unit) == ("226", "hasta 200", "mg/dL")


def test_a_broken_word_between_heads_begins_no_second_table() -> None:
    (reading,) = read(
        (0, "                                  Отклон      Референсные"),
        (12, "Показатель          Результат     ение        значения        Ед. изм."),
        (30, "Гемоглобин          132                       (117-155)       г/л"),
    )

    assert (reading.value, reading.range, reading.unit) == ("132", "117-155", "г/л")


def test_a_title_below_a_head_changes_nothing() -> None:
    (reading,) = read(
        (0, "Test                Result          Units         Range"),
        (12, "LIPIDS"),
        (24, "Cholesterol         226             mg/dL         < 200"),
    )

    assert (reading.name, reading.value, reading.range) == ("Cholesterol", "226", "< 200")
