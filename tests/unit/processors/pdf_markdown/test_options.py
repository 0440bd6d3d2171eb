"""The options of a conversion."""

import pytest

from blobforge.domain.errors import InvalidOptions
from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.options import PdfOptions, parse_options


@pytest.mark.parametrize("pages", ["1-", "1-9,10-"])
def test_all_pages_by_their_numbers_are_the_whole_document(pages: str) -> None:
    assert parse_options({"pages": pages}) == parse_options({})


def test_without_options_the_defaults_hold() -> None:
    assert parse_options({}) == PdfOptions()


def test_values_may_be_text_as_a_command_line_gives_them() -> None:
    options = parse_options({"slice_pages": "20", "page_marks": "true", "ocr_languages": "deu,fra", "pages": "3,5-7"})

    assert options == PdfOptions(
        slice_pages=20, page_marks=True, ocr_languages=("deu", "fra"), pages=(Slice(3, 3), Slice(5, 7))
    )


def test_values_may_be_of_their_own_type() -> None:
    options = parse_options(
        {"slice_pages": 20, "page_marks": False, "ocr_languages": ["deu"], "pages": 3, "ocr": "off"}
    )

    assert options == PdfOptions(slice_pages=20, ocr_languages=("deu",), pages=(Slice(3, 3),), ocr="off")


@pytest.mark.parametrize("pages", [None, ""])
def test_no_pages_means_all_of_them(pages: str | None) -> None:
    assert parse_options({"pages": pages}).pages == ()


def test_ways_to_write_the_same_mean_the_same() -> None:
    one = parse_options({"pages": "7,1-3", "ocr_languages": "eng+deu"})
    other = parse_options({"pages": "1,2,3,7-7", "ocr_languages": ["eng", "deu"]})

    assert one.as_json() == other.as_json()


def test_the_form_of_a_recipe_can_be_read_again() -> None:
    options = parse_options({"pages": "1-3", "page_marks": True, "ocr": "auto"})

    assert parse_options(options.as_json()) == options


def test_languages_are_told_from_the_text_unless_some_are_asked_for() -> None:
    assert parse_options({}) == parse_options({"ocr_languages": "auto"})
    assert parse_options({}).as_json()["ocr_languages"] == "auto"


def test_reading_pictures_is_another_recipe() -> None:
    assert parse_options({"read_pictures": "yes"}).as_json() != parse_options({}).as_json()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engin": "liteparse"}, "no option 'engin'; did you mean 'engine'"),
        ({"xyzzy": 1}, "known are engine, pages"),
        ({"engine": "litepars"}, "no engine 'litepars'; did you mean 'liteparse'"),
        ({"ocr": "always"}, "use auto or off"),
        ({"ocr_languages": ""}, "tesseract's languages"),
        ({"ocr_languages": []}, "tesseract's languages"),
        ({"ocr_languages": 5}, "tesseract's languages"),
        ({"ocr_languages": "--help"}, "tesseract's languages"),
        ({"slice_pages": 0}, "from 1 to 10000"),
        ({"slice_pages": "²"}, "from 1 to 10000"),
        ({"slice_pages": -5}, "from 1 to 10000"),
        ({"page_marks": "perhaps"}, "true or false"),
        ({"pages": "9-2"}, "did you mean 2-9"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused(options: JsonObject, message: str) -> None:
    with pytest.raises(InvalidOptions, match=message):
        parse_options(options)
