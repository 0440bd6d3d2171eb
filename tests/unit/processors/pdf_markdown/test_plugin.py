"""The processor from a PDF to its archive, with the default engine."""

import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.unit.processors import pdfs

from blobforge.documents.tesseract import Tesseract
from blobforge.domain.errors import ChildKilled, DamagedSource, EngineUnavailable, InvalidOptions
from blobforge.ports.processor import Gap, Plan, Processor, Slice, Task
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.layout.drawn import extract
from blobforge.processors.pdf_markdown.layout.model.content import PageContent
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import account_of, converted, info_of, nobody


@pytest.fixture
def processor() -> Processor:
    return PdfMarkdownProcessor(find_ocr=lambda: None)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    chapters = map(pdfs.prose, ("Earth", "Water", "Air", "Fire", "Aether"))
    return pdfs.make_pdf(tmp_path / "book.pdf", *chapters, title="The Elements")


def text_of(processor: Processor, task: Task) -> str:
    with zipfile.ZipFile(converted(processor, task).archive) as archive:
        return archive.read("document.md").decode()


def slices_of(processor: Processor, book: Path, tmp_path: Path, **options: Any) -> list[Slice]:
    return list(processor.plan(pdfs.a_task(book, tmp_path / "work", **options)).slices)


def test_pages_alone_leave_out_some_of_a_document(processor: Processor) -> None:
    whole = processor.recipe({"engine": "liteparse", "read_pictures": True, "pages": ""})

    assert whole.partial == ()
    assert processor.recipe({"pages": "2-3"}).partial == ("pages",)


# Asking is cheap


def test_asking_for_a_recipe_imports_no_library_that_works() -> None:
    code = """
import sys
from blobforge.documents.tesseract import Tesseract
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
PdfMarkdownProcessor().recipe({})
heavy = {"liteparse", "pdf_oxide", "pikepdf", "pypdfium2", "PIL", "tqdm"} & set(sys.modules)
sys.exit(f"imported {heavy}" if heavy else 0)
"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


def test_putting_pages_together_imports_no_library_that_reads_them() -> None:
    code = """
import sys
from blobforge.processors.pdf_markdown.engines import registry
registry.engine_class("blobforge").stitch
heavy = {"pdf_oxide", "pikepdf", "pypdfium2"} & set(sys.modules)
sys.exit(f"imported {heavy}" if heavy else 0)
"""

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_recipe_names_the_version_of_the_engine(processor: Processor) -> None:
    recipe = processor.recipe({})

    assert (recipe.engine, recipe.engine_version) == ("blobforge", registry.engine_version("blobforge"))


def test_every_option_changes_the_recipe(processor: Processor) -> None:
    choices: list[dict[str, str | int]] = [
        {},
        {"pages": "1-2"},
        {"ocr": "off"},
        {"ocr_languages": "deu"},
        {"slice_pages": 10},
        {"page_marks": "true"},
    ]

    assert len({processor.recipe(options).id for options in choices}) == len(choices)


def test_a_recipe_of_an_engine_that_is_not_here_is_refused(processor: Processor) -> None:
    with pytest.raises(EngineUnavailable, match="marker"):
        processor.recipe({"engine": "marker"})


# Cutting


def test_a_document_is_cut_into_equal_slices(processor: Processor, book: Path, tmp_path: Path) -> None:
    assert slices_of(processor, book, tmp_path, slice_pages=4) == [Slice(1, 2), Slice(3, 5)]


def test_only_the_wanted_pages_are_planned(processor: Processor, book: Path, tmp_path: Path) -> None:
    assert slices_of(processor, book, tmp_path, pages="2,4-99") == [Slice(2, 2), Slice(4, 5)]


def test_a_range_beyond_the_end_has_nothing_in_it(processor: Processor, book: Path, tmp_path: Path) -> None:
    with pytest.raises(InvalidOptions, match=r"book\.pdf: pages='7-9', but the document ends with page 5"):
        slices_of(processor, book, tmp_path, pages="7-9")


# The result


def test_pages_are_set_apart_by_a_blank_line(processor: Processor, book: Path, tmp_path: Path) -> None:
    text = text_of(processor, pdfs.a_task(book, tmp_path / "work"))

    prose = " ".join(pdfs.PROSE)
    assert text.startswith(f"# Earth\n\n{prose}\n\n# Water\n\n")
    assert text.endswith(f"{prose}\n")


def test_pages_may_be_marked(processor: Processor, book: Path, tmp_path: Path) -> None:
    text = text_of(processor, pdfs.a_task(book, tmp_path / "work", page_marks=True, pages="2-3"))

    assert text.startswith("<!-- page 2 -->\n\n# Water\n\n")
    assert "\n\n<!-- page 3 -->\n\n# Air\n\n" in text


def test_a_gap_leaves_a_remark_in_the_text(processor: Processor, book: Path, tmp_path: Path) -> None:
    task = pdfs.a_task(book, tmp_path / "work")
    gap = Gap(Slice(2, 2), "child_killed", "signal 11")

    product = converted(processor, task, gaps=[gap], slices=[Slice(1, 1), Slice(3, 5)])

    text = zipfile.ZipFile(product.archive).read("document.md").decode()
    assert "\n\n<!-- page 2 failed: child_killed -->\n\n# Air" in text
    assert "# Water" not in text


def test_info_json_tells_of_the_document(processor: Processor, book: Path, tmp_path: Path) -> None:
    info = info_of(converted(processor, pdfs.a_task(book, tmp_path / "work", pages="1-2")))

    assert info["format"] == 1
    assert (info["title"], info["pages_in_source"], info["repaired"]) == ("The Elements", 5, False)
    assert info["tools"] == {}
    assert info["pages"] == [{"page": page, "outcome": "text", "confidence": 1.0} for page in (1, 2)]


def test_an_image_on_many_pages_is_stored_once(processor: Processor, tmp_path: Path) -> None:
    logo = pdfs.encoded(pdfs.shades(), "JPEG")
    other = pdfs.encoded(pdfs.shades(step=3), "JPEG")
    drawings = [
        pdfs.with_picture(name, image, box=(72, 300, 180, 120))
        for name, image in (("Earth", logo), ("Water", other), ("Air", logo))
    ]
    book = pdfs.make_pdf(tmp_path / "book.pdf", *drawings)

    product = converted(processor, pdfs.a_task(book, tmp_path / "work", slice_pages=1))

    with zipfile.ZipFile(product.archive) as archive:
        names = archive.namelist()
        text = archive.read("document.md").decode()
        stored = archive.read("assets/p0001-1.jpg")
    assert names == ["assets/p0001-1.jpg", "assets/p0002-1.jpg", "document.json", "document.md", "info.json"]
    assert text.count("(assets/p0001-1.jpg)") == 2
    assert product.summary["images"] == 2
    assert stored == logo


def test_a_drawing_is_an_image_in_its_place_and_stored_once(processor: Processor, tmp_path: Path) -> None:
    def drawing(canvas: Any) -> None:
        pdfs.prose("Earth")(canvas)
        for radius in range(10, 60, 10):
            canvas.circle(200, 500, radius)
        canvas.drawString(72, 300, "What comes after the drawing, in a line of its own.")

    book = pdfs.make_pdf(tmp_path / "book.pdf", drawing, drawing)

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    with zipfile.ZipFile(product.archive) as archive:
        names = archive.namelist()
        text = archive.read("document.md").decode()
        stored = archive.read("assets/p0001-1.png")
    assert names == ["assets/p0001-1.png", "document.json", "document.md", "info.json"]
    assert text.index("quick brown fox") < text.index("(assets/p0001-1.png)") < text.index("What comes after")
    assert Image.open(io.BytesIO(stored)).width == pytest.approx(104 * 150 / 72, abs=2)


def test_a_scan_without_tesseract_is_accounted_for(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"), pdfs.scan(["a scan"]))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    assert account_of(product)[2]["code"] == "ocr_unavailable"
    assert "tesseract" in str(account_of(product)[2]["message"])
    assert (product.summary["pages_failed"], product.summary["codes"]) == (1, {"ocr_unavailable": 1})


def test_a_scan_that_waits_for_tesseract_as_a_whole_is_no_failed_document(processor: Processor, tmp_path: Path) -> None:
    letter = pdfs.make_pdf(tmp_path / "letter.pdf", pdfs.scan(["a scan"]))

    product = converted(processor, pdfs.a_task(letter, tmp_path / "work"))

    assert (product.summary["pages"], product.summary["codes"]) == (1, {"ocr_unavailable": 1})


def test_a_document_of_which_every_wanted_page_failed_has_failed(
    processor: Processor, book: Path, tmp_path: Path
) -> None:
    task = pdfs.a_task(book, tmp_path / "work", pages="2-3")
    gap = Gap(Slice(2, 3), "child_killed", "signal 11")

    with pytest.raises(ChildKilled, match=r"book\.pdf: none of 2 pages could be converted; page 2: signal 11"):
        processor.join(task, processor.plan(task), [gap], nobody)

    assert not (task.workspace / "result.zip").exists()


def test_an_only_page_of_which_nothing_is_left_is_a_damaged_document(processor: Processor, tmp_path: Path) -> None:
    sheet = pdfs.make_pdf(tmp_path / "sheet.pdf", pdfs.prose("One"))
    content = sheet.read_bytes()
    sheet.write_bytes(content[: content.rindex(b"stream")])

    with pytest.raises(DamagedSource, match="page 1 could not be converted: nothing is left of this page"):
        converted(processor, pdfs.a_task(sheet, tmp_path / "work"))


def test_ocr_can_be_turned_off(processor: Processor, tmp_path: Path) -> None:
    book = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.scan(["a scan"]))

    product = converted(processor, pdfs.a_task(book, tmp_path / "work", ocr="off"))

    assert "OCR is off" in str(account_of(product)[1]["message"])


def test_a_repaired_document_says_so_and_names_the_pages_that_are_lost(
    processor: Processor, book: Path, tmp_path: Path
) -> None:
    content = book.read_bytes()
    book.write_bytes(content[: content.rindex(b"stream")])

    product = converted(processor, pdfs.a_task(book, tmp_path / "work"))

    assert info_of(product)["repaired"] is True
    assert [page["outcome"] for page in account_of(product).values()] == ["text"] * 4 + ["failed"]
    assert product.summary["codes"] == {"damaged_pdf": 1}


def test_a_document_with_its_password_converts_like_any_other(processor: Processor, book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")
    task = replace(pdfs.a_task(secret, tmp_path / "work"), secrets={"password": "hunter2"})

    assert text_of(processor, task) == text_of(processor, pdfs.a_task(book, tmp_path / "other"))


def test_a_blob_without_an_extension_converts_like_any_other(processor: Processor, book: Path, tmp_path: Path) -> None:
    blob = tmp_path / "0a1b2c"
    blob.write_bytes(book.read_bytes())

    expected = text_of(processor, pdfs.a_task(book, tmp_path / "one"))

    assert text_of(processor, pdfs.a_task(blob, tmp_path / "two")) == expected


# What would not fail again


def tesseract_with(*languages: str) -> Tesseract:
    return Tesseract(program="tesseract", version="5", languages=frozenset(languages))


@pytest.mark.parametrize(
    ("tool", "options", "mended"),
    [
        (tesseract_with("eng"), {}, {"ocr_unavailable"}),
        (tesseract_with("eng"), {"ocr_languages": "eng+deu"}, {"ocr_unavailable"}),
        (tesseract_with("eng", "deu"), {"ocr_languages": "eng+deu"}, {"ocr_unavailable", "ocr_language_missing"}),
        (tesseract_with("eng", "deu"), {"ocr": "off", "ocr_languages": "deu"}, set()),
        (tesseract_with("eng"), {"ocr_languages": "rus"}, set()),
        (tesseract_with("eng"), {"ocr": "off"}, set()),
        (None, {}, set()),
    ],
)
def test_pages_that_wanted_ocr_are_mended_when_it_is_there_and_wanted(
    tool: Tesseract | None, options: dict[str, str], mended: set[str]
) -> None:
    assert PdfMarkdownProcessor(find_ocr=lambda: tool).mended(options) == mended


# A document done in one slice is joined from memory, where that is right


def test_joining_from_memory_and_from_the_workspace_give_the_same(
    processor: Processor, book: Path, tmp_path: Path
) -> None:
    task = pdfs.a_task(book, tmp_path / "work")
    plan = processor.plan(task)
    processor.run(task, plan, plan.slices[0], nobody)

    from_memory = processor.join(task, plan, [], nobody).archive.read_bytes()
    from_workspace = PdfMarkdownProcessor().join(task, plan, [], nobody).archive.read_bytes()

    assert from_memory == from_workspace


def test_what_is_in_memory_is_not_taken_for_another_document(processor: Processor, book: Path, tmp_path: Path) -> None:
    other = pdfs.make_pdf(tmp_path / "other.pdf", *map(pdfs.prose, ("One", "Two", "Three", "Four", "Five")))
    first = pdfs.a_task(book, tmp_path / "work")
    plan = processor.plan(first)
    processor.run(first, plan, plan.slices[0], nobody)
    second = pdfs.a_task(other, tmp_path / "work")
    PdfMarkdownProcessor().run(second, plan, plan.slices[0], nobody)

    product = processor.join(second, plan, [], nobody)

    assert zipfile.ZipFile(product.archive).read("document.md").startswith(b"# One")


def test_a_part_that_its_child_died_over_is_passed_over(processor: Processor, book: Path, tmp_path: Path) -> None:
    task = pdfs.a_task(book, tmp_path / "work")
    plan: Plan = processor.plan(task)
    processor.run(task, plan, Slice(1, 2), nobody)
    (task.workspace / "part-000001-000005.json").write_text('{"tools": {}, "pages": [[1, "te')

    product = PdfMarkdownProcessor().join(task, plan, [], nobody)

    assert [page["outcome"] for page in account_of(product).values()] == ["text", "text", "failed", "failed", "failed"]
    assert json.loads(json.dumps(product.summary)) == product.summary


# After a death


def test_a_page_that_a_child_died_over_is_read_another_way_and_that_is_told(
    processor: Processor, book: Path, tmp_path: Path
) -> None:
    task = pdfs.a_task(book, tmp_path / "work", pages="1-2")
    plan = processor.plan(task)
    (task.workspace / "at-pages-1-2").touch()
    another = PdfMarkdownProcessor(find_ocr=lambda: None)
    for number in (1, 2):
        another.run(task, plan, Slice(number, number), nobody)
    (task.workspace / "at-pages-1-2").unlink()

    pages: Any = info_of(another.join(task, plan, [], nobody))["pages"]

    assert [page["warnings"] for page in pages] == [["second_reader"], ["second_reader"]]


def test_a_death_in_the_survey_is_no_end_of_the_document(processor: Processor, book: Path, tmp_path: Path) -> None:
    task = pdfs.a_task(book, tmp_path / "work", pages="1")
    (task.workspace / "at-survey-0").touch()

    assert "# Earth" in text_of(processor, task)


def test_a_page_that_a_survey_died_of_stands_alone_and_is_not_surveyed_again(
    processor: Processor, book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = pdfs.a_task(book, tmp_path / "work")
    (task.workspace / "at-survey-0").write_bytes(b"1\n2\n")
    read: list[int] = []
    page = extract.Source.page

    def noted(source: extract.Source, number: int) -> PageContent:
        read.append(number)
        return page(source, number)

    monkeypatch.setattr(extract.Source, "page", noted)

    plan = processor.plan(task)

    assert plan.slices == ((1, 1), (2, 2), (3, 5))
    assert read == [1, 3, 4, 5]


def test_after_too_many_deaths_there_is_no_survey(processor: Processor, book: Path, tmp_path: Path) -> None:
    task = pdfs.a_task(book, tmp_path / "work")
    for place in range(3):
        (task.workspace / f"at-survey-{place}").write_bytes(b"%d\n" % (place + 1))

    plan = processor.plan(task)

    assert plan.notes["survey"] == {}
    assert plan.slices == ((1, 1), (2, 2), (3, 3), (4, 5))
