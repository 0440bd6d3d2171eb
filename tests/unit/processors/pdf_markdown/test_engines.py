"""The engines that need packages which are not installed here.

Small stand-in packages with the same public API take their place on sys.path: marker-pdf 1.10 and 2.0, docling 2.143
and pymupdf4llm 1.28 were read, and pymupdf4llm was also tried for real.
"""

import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blobforge.domain.errors import EngineFailed, EngineUnavailable, MemoryLimit
from blobforge.ports.processor import Progress, Slice
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.engines.engine import Document, Engine, EnginePage, PageText
from blobforge.processors.pdf_markdown.engines.foreign import foreign_errors
from blobforge.processors.pdf_markdown.layout.scans.scan import ScannedPage
from blobforge.testing.processor_contract import nobody

Install = Callable[[str, str], None]

OPTIONAL = ("pymupdf4llm", "marker", "docling")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a module on sys.path, and takes it out of the interpreter afterwards."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)

    def install(name: str, code: str) -> None:
        path = folder.joinpath(*name.split("."))
        path.mkdir(parents=True, exist_ok=True)
        (path / "__init__.py").write_text(textwrap.dedent(code))

    yield install
    for name in [name for name in sys.modules if name.split(".")[0] in OPTIONAL]:
        del sys.modules[name]


@pytest.fixture
def document(tmp_path: Path) -> Document:
    return Document(path=tmp_path / "book.pdf", pages=3, survey={})


def make(name: str) -> Engine:
    return registry.engine_class(name)()


def read(engine: Engine, document: Document, part: Slice) -> list[EnginePage]:
    return list(engine.read(document, part, nobody))


# What is said of an engine that is not there


@pytest.mark.parametrize("name", OPTIONAL)
def test_an_engine_that_is_not_installed_says_how_to_install_it(name: str) -> None:
    with pytest.raises(EngineUnavailable, match=rf"pip.* install \S+\[{name}\]"):
        make(name)


@pytest.mark.parametrize("name", OPTIONAL)
def test_its_version_cannot_be_told_either(name: str) -> None:
    with pytest.raises(EngineUnavailable, match=registry.info_of(name).distribution):
        registry.engine_version(name)


@pytest.mark.parametrize("name", ["marker", "docling"])
def test_engines_with_weights_say_that_they_load_them(name: str) -> None:
    with pytest.raises(EngineUnavailable, match="downloads its model weights at first run"):
        make(name)


def test_the_licence_of_pymupdf4llm_is_named() -> None:
    with pytest.raises(EngineUnavailable, match="AGPL"):
        make("pymupdf4llm")


def test_a_missing_engine_of_an_extra_is_told_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "liteparse", None)

    with pytest.raises(EngineUnavailable, match=r"pip.* install \S+\[liteparse\]'$"):
        make("liteparse")


def test_a_missing_default_engine_is_a_broken_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pdf_oxide", None)

    with pytest.raises(EngineUnavailable, match=r"pip.* install \S+$"):
        make("blobforge")


# pymupdf4llm

PYMUPDF4LLM = """
    def to_markdown(doc, *, pages, page_chunks, embed_images, show_progress, use_ocr):
        assert page_chunks and embed_images and not show_progress and not use_ocr
        if 1 in pages and len(pages) == 1:
            raise ValueError("page 2 is broken")
        return [{"text": f"{doc[-8:]} {page} ![](data:image/png;base64,QUJD)", "metadata": {}} for page in pages]
"""


def test_pymupdf4llm_reads_a_range_with_its_images(install: Install, document: Document) -> None:
    """R0-49."""
    install("pymupdf4llm", PYMUPDF4LLM)

    pages = read(make("pymupdf4llm"), document, Slice(2, 3))

    assert [page.number for page in pages] == [2, 3]
    assert pages[1].markdown == "book.pdf 2 ![](embedded-1)"
    assert pages[1].pictures[0].content == b"ABC"


def test_an_error_of_pymupdf4llm_is_the_page_s(install: Install, document: Document) -> None:
    install("pymupdf4llm", PYMUPDF4LLM)

    with pytest.raises(EngineFailed, match="pymupdf4llm: page 2 is broken"):
        read(make("pymupdf4llm"), document, Slice(2, 2))


# docling


def install_docling(install: Install, *, weights: bool = True) -> None:
    install("docling", "")
    install("docling.datamodel", "")
    install("docling.datamodel.base_models", "class InputFormat:\n    PDF = 'pdf'")
    install(
        "docling.datamodel.pipeline_options",
        """
        class PdfPipelineOptions:
            def __init__(self, *, do_ocr, generate_picture_images, images_scale):
                assert not do_ocr and generate_picture_images and images_scale == 2.0
        """,
    )
    install(
        "docling.document_converter",
        f"""
        class PdfFormatOption:
            def __init__(self, *, pipeline_options):
                self.pipeline_options = pipeline_options

        class Converted:
            pages = {{1: "page", 3: "page"}}

            def export_to_markdown(self, *, page_no, image_mode):
                assert image_mode == "embedded"
                return f"page {{page_no}} ![Image](data:image/png;base64,QUJD)"

        class Result:
            document = Converted()

        class DocumentConverter:
            def __init__(self, *, allowed_formats, format_options):
                assert list(format_options) == allowed_formats == ["pdf"]

            def initialize_pipeline(self, format):
                if not {weights}:
                    raise FileNotFoundError("no model files")

            def convert(self, source, *, page_range):
                assert source.name == "book.pdf" and page_range[0] <= page_range[1]
                return Result()
        """,
    )


def test_docling_reads_the_pages_that_it_can(install: Install, document: Document) -> None:
    install_docling(install)

    pages = read(make("docling"), document, Slice(1, 3))

    assert [page.number for page in pages] == [1, 3]
    assert pages[0].markdown == "page 1 ![Image](embedded-1)"


def test_docling_says_why_a_single_page_is_missing(install: Install, document: Document) -> None:
    install_docling(install)

    with pytest.raises(EngineFailed, match="docling: it gave nothing"):
        read(make("docling"), document, Slice(2, 2))


def test_docling_without_its_weights_is_not_available(install: Install) -> None:
    install_docling(install, weights=False)

    with pytest.raises(EngineUnavailable, match=r"does not load: docling: no model files; .* network"):
        make("docling")


# marker


def install_marker(install: Install, *, models: str = "{'layout_model': 1}") -> None:
    install("marker", "")
    install("marker.models", f"def create_model_dict():\n    return {models}")
    install("marker.output", "def text_from_rendered(rendered):\n    return rendered[0], 'md', rendered[1]")
    install("marker.converters", "")
    install(
        "marker.converters.pdf",
        """
        from PIL import Image
        from tqdm import tqdm

        class PdfConverter:
            def __init__(self, *, artifact_dict, config):
                assert artifact_dict == {"layout_model": 1} and config["paginate_output"]
                self.pages = config["page_range"]

            def __call__(self, path):
                assert path.endswith("book.pdf")
                text, images = "", {}
                for page in tqdm(self.pages, desc="Recognizing Text", mininterval=0):
                    if page == 1:
                        continue
                    text += "\\n\\n{%d}%s\\n\\n# Page %d\\n\\n" % (page, "-" * 48, page)
                    text += "![](_page_%d_Figure_1.jpeg)\\n\\n![](_page_%d_Figure_2.tiff)" % (page, page)
                    images["_page_%d_Figure_1.jpeg" % page] = Image.new("RGBA", (4, 4), "red")
                    images["_page_%d_Figure_2.tiff" % page] = Image.new("RGB", (4, 4), "red")
                return text, images
        """,
    )


def test_marker_reads_the_pages_that_it_can(install: Install, document: Document) -> None:
    """R0-49."""
    install_marker(install)

    pages = read(make("marker"), document, Slice(1, 3))

    assert [page.number for page in pages] == [1, 3]
    assert pages[1].markdown == "# Page 2\n\n![](_page_2_Figure_1.jpeg)\n\n![](_page_2_Figure_2.tiff)"


def test_the_images_of_marker_become_files_that_viewers_show(install: Install, document: Document) -> None:
    install_marker(install)

    (page,) = read(make("marker"), document, Slice(3, 3))

    assert [(picture.link, picture.extension) for picture in page.pictures] == [
        ("_page_2_Figure_1.jpeg", "jpg"),
        ("_page_2_Figure_2.tiff", "png"),
    ]
    assert page.pictures[0].content.startswith(b"\xff\xd8")
    assert page.pictures[1].content.startswith(b"\x89PNG")


def test_marker_says_why_a_single_page_is_missing(install: Install, document: Document) -> None:
    install_marker(install)

    with pytest.raises(EngineFailed, match="marker: it gave nothing"):
        read(make("marker"), document, Slice(2, 2))


def test_the_progress_bars_of_marker_are_reported(install: Install, document: Document) -> None:
    install_marker(install)
    heard: list[Progress] = []

    list(make("marker").read(document, Slice(1, 3), heard.append))

    assert heard[0] == Progress("Recognizing Text", 0, 3)


def test_marker_without_its_weights_is_not_available(install: Install) -> None:
    install_marker(install, models="open('/no/such/weights')")

    with pytest.raises(EngineUnavailable, match="marker is installed but does not load"):
        make("marker")


# All of them


@pytest.mark.parametrize("name", registry.names())
def test_an_engine_leaves_alone_what_something_else_has_read(name: str, document: Document) -> None:
    engine = registry.engine_class(name)

    assert engine.stitch(document, [PageText("one"), PageText("two")]).texts == ["one", "two"]


@pytest.mark.parametrize("name", sorted(set(registry.names()) - {registry.OURS}))
def test_engines_of_others_do_not_lay_out_scans(name: str, document: Document) -> None:
    engine = registry.engine_class(name)

    assert engine.read_scan(object.__new__(engine), document, ScannedPage(1, 100, 100, ())) is None


# The border to foreign code


class PanicException(BaseException):
    """The name that a panic in Rust has in Python."""


def test_a_panic_in_rust_is_a_failure_like_any_other() -> None:
    with pytest.raises(EngineFailed, match="liteparse: index out of bounds"), foreign_errors("liteparse"):
        raise PanicException("index out of bounds")


def test_an_error_without_words_is_told_by_its_name() -> None:
    with pytest.raises(EngineFailed, match="liteparse: ZeroDivisionError"), foreign_errors("liteparse"):
        raise ZeroDivisionError


def test_memory_that_runs_out_is_told_as_such() -> None:
    with pytest.raises(MemoryLimit), foreign_errors("liteparse"):
        raise MemoryError


def test_a_request_to_stop_is_no_failure() -> None:
    with pytest.raises(KeyboardInterrupt), foreign_errors("liteparse"):
        raise KeyboardInterrupt
