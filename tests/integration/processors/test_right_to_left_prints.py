"""Pages from right to left as a browser prints them: it tells brackets and ligatures beside what it draws."""

import zipfile
from pathlib import Path

import pytest
from benchmarks.printed import chromium
from tests.unit.processors import pdfs

from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import account_of, converted

pytestmark = pytest.mark.needs("chromium")

HEBREW = (
    'בין: דוד לוי, ת"ז 012345678 (להלן: "המשכיר")',
    '1. לפי סעיף 3(א) לחוק [נוסח משולב], התשל"ב–1972.',
    "2. השוכרת תשלם {במזומן או בהעברה} עד ה-5 בכל חודש.",
    "3. המשכיר רשאי (בהודעה בכתב) לבטל את ההסכם [ראה נספח ב(2)].",
    "4. ערבות בסך 10% (עשרה אחוזים) תוחזר בתום התקופה.",
)
ARABIC = (
    "الطرف الأول: أحمد علي (المؤجر)",
    "الإيجار الشهري 4,500 ريال ولا يشمل الكهرباء.",
    "لا يجوز للمستأجر التنازل عن العقد إلا بموافقة الأول.",
    "مدة العقد سنة واحدة قابلة للتجديد [انظر الملحق].",
    "يلتزم المستأجر بالإصلاحات اللازمة خلال 15 يوما.",
)


@pytest.mark.parametrize(
    ("lines", "face"), [(HEBREW, "DejaVu Sans"), (ARABIC, "DejaVu Sans"), (ARABIC, "DejaVu Sans Mono")]
)
@pytest.mark.parametrize("tagged", [True, False])
def test_lines_from_right_to_left_are_read_as_they_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], face: str, *, tagged: bool
) -> None:
    if tagged:
        plain = tuple(option for option in chromium.OPTIONS if option != "--disable-pdf-tagging")
        monkeypatch.setattr(chromium, "OPTIONS", plain)
    book = tmp_path / "book.pdf"
    paragraphs = "".join(f"<p>{line}</p>" for line in lines)
    chromium.print_pdf(f"<html dir=rtl><meta charset=utf-8><style>body{{font:12pt '{face}'}}</style>{paragraphs}", book)

    product = converted(PdfMarkdownProcessor(), pdfs.a_task(book, tmp_path / "work"))

    markdown = zipfile.ZipFile(product.archive).read("document.md").decode().replace("\\", "")
    assert [line for line in markdown.splitlines() if line] == list(lines)
    account = account_of(product)[1]
    assert (account["outcome"], account.get("warnings")) == ("text", None)
