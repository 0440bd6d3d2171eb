# ruff: noqa: RUF001 - Cyrillic words
"""Heads that are broken over two lines are the heads that they are in one."""

from tests.unit.processors.lab_report.sheets import moved, tagger, words

from blobforge.processors.lab_report.biomarkers import table
from blobforge.processors.lab_report.lines.observation import Observation
from blobforge.processors.lab_report.lines.tagged_line import lines_of
from blobforge.processors.lab_report.page.rows import rows_of
from blobforge.processors.lab_report.page.words import PositionedWord
from blobforge.processors.lab_report.passes.pipeline import read_lines


def read(*lines: tuple[float, str]) -> list[Observation]:
    page: list[PositionedWord] = [word for fall, text in lines for word in moved(words(text), fall)]
    found = read_lines(lines_of(rows_of(1, page), tagger()), table())
    return [reading for each in found for reading in each.observations]


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


def test_a_unit_in_a_head_is_the_unit_of_all_its_values() -> None:
    observations = read(
        (0, "Код   Аллерген               IgE, кЕ/л    Класс"),
        (16, "t3    Берёза бородавчатая    42,6         4"),
        (32, "t14   Тополь                 <0,10        0"),
    )

    assert [(each.name, each.value, each.unit) for each in observations] == [
        ("Берёза бородавчатая", "42,6", "кЕ/л"),
        ("Тополь", "0,10", "кЕ/л"),
    ]


def test_units_may_stand_below_the_heads_of_two_systems() -> None:
    share, count = read(
        (0, "                    Relativa    V.R.      Absoluta    V.R."),
        (11, "                    %           %         /mm3        /mm3"),
        (27, "Neutrófilos         59          45 - 70   3.776       2.000 - 7.000"),
    )

    assert (share.value, share.unit, share.range) == ("59", "%", "45 - 70")
    assert (count.value, count.unit, count.range) == ("3.776", "/mm3", "2.000 - 7.000")


def test_a_heading_ends_a_table_that_told_its_unit() -> None:
    page = [
        *words("Parameter           Result, %     Range\nNeutrophils         59            45 - 70"),
        *moved([word._replace(size=13.0) for word in words("Chemistry")], 50),
        *moved(words("Sodium              139           136 - 145"), 70),
    ]
    found = read_lines(lines_of(rows_of(1, page), tagger()), table())

    assert [reading.unit for each in found for reading in each.observations] == ["%", None]


def test_a_day_may_stand_a_little_higher_than_the_other_heads() -> None:
    (reading,) = read(
        (0, "                                         10/11/26"),
        (8, "Esame        Unità     15/01/26                    Intervallo di riferimento"),
        (24, "Sodio        mmol/L    140               138         136 - 145"),
    )

    assert (reading.value, reading.range) == ("138", "136 - 145")
