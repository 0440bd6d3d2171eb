"""Prints a Typst text in a look, and takes from the PDF what would hand its structure to any reader."""

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pikepdf
import typst

LOOKS = Path(__file__).parent / "looks"
Step = pikepdf.ContentStreamInstruction | pikepdf.ContentStreamInlineImage


def print_pdf(text: str, *, look: str, target: Path) -> None:
    with TemporaryDirectory() as folder:
        shutil.copytree(LOOKS, folder, dirs_exist_ok=True)
        page = Path(folder, "page.typ")
        page.write_text(f'#import "{look}.typ": *\n#show: look\n\n{text}\n', encoding="utf-8")
        printed = Path(folder, "page.pdf")
        typst.compile(str(page), output=str(printed), root=folder)
        _write_without_tags(printed, target)


def _write_without_tags(printed: Path, target: Path) -> None:
    """Typst tags every paragraph and calls running heads artifacts; most publications do neither."""
    with pikepdf.open(printed) as pdf:
        for key in ("/StructTreeRoot", "/MarkInfo", "/Outlines", "/Metadata"):
            if key in pdf.Root:
                del pdf.Root[key]
        del pdf.docinfo, pdf.trailer.ID  # which differ from run to run
        for page in pdf.pages:
            steps = _unmarked(pikepdf.parse_content_stream(page))
            page.Contents = pdf.make_stream(pikepdf.unparse_content_stream(list(steps)))
        pdf.save(target, deterministic_id=True)


def _unmarked(steps: Iterable[Step]) -> Iterator[Step]:
    """Marks go, but for those that say which letters a glyph stands for."""
    kept: list[bool] = []
    for step in steps:
        name = str(step.operator)
        if name in {"BMC", "BDC"}:
            kept.append(name == "BDC" and "/ActualText" in str(step.operands[1]))
            if kept[-1]:
                yield step
        elif name != "EMC" or kept.pop():
            yield step
