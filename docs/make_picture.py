"""Makes the pictures of the documents: `python -m docs.make_picture`. It needs chromium.

result.png is a page beside its Markdown, explain.png shows what the engine saw on a page, dashboard.png is what
`blobforge dashboard` shows.
"""

import base64
import io
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdfium2
from markdown_it import MarkdownIt

from blobforge import ConvertedDocument, convert
from docs import dashboard_picture

ROOT = Path(__file__).parent.parent
LIBRARY = ROOT / "examples" / "library"
SOURCE = LIBRARY / "atlas.pdf"
EXPLAINED = LIBRARY / "rulebook.pdf"
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1500, 1000

PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; display: flex; gap: 24px; padding: 24px; background: #d8d8d8; font: 16px/1.5 sans-serif; }}
.half {{ width: 50%; height: {height}px; overflow: hidden; background: white; box-shadow: 0 1px 6px #888; }}
.half > img {{ width: 100%; }}
.markdown {{ padding: 24px 32px; box-sizing: border-box; }}
.markdown img {{ max-width: 100%; max-height: 420px; }}
</style><div class="half"><img src="{page}"></div><div class="half markdown">{html}</div>"""


def main() -> None:
    html = PAGE.format(height=HEIGHT - 48, page=_first_page(), html=_as_html(convert(SOURCE, pages="1-2")))
    with TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        page.write_text(html, encoding="utf-8")
        _take_picture(page, IMAGES / "result.png", height=HEIGHT)
        _take_picture(_explained(Path(folder)), IMAGES / "explain.png", height=1250)
        board = Path(folder, "board.svg")
        board.write_text(dashboard_picture.as_svg(), encoding="utf-8")
        _take_picture(board, IMAGES / "dashboard.png", width=1239, height=563)


def _explained(folder: Path) -> Path:
    command = [sys.executable, "-m", "blobforge", "convert", str(EXPLAINED), "-o", str(folder / "out")]
    home = {**os.environ, "BLOBFORGE_HOME": str(folder / "home")}
    subprocess.run([*command, "--pages", "1", "--explain"], check=True, capture_output=True, env=home)
    return folder / "out" / f"{EXPLAINED.stem}.explain.html"


def _take_picture(page: Path, picture: Path, *, height: int, width: int = WIDTH) -> None:
    subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
            *("--disable-background-networking", "--disable-component-update", "--hide-scrollbars"),
            *(f"--user-data-dir={page.parent}/profile", f"--window-size={width},{height}"),
            *(f"--screenshot={picture}", page.as_uri()),
        ],
        check=True,
        capture_output=True,
    )


def _first_page() -> str:
    image = io.BytesIO()
    document = pypdfium2.PdfDocument(SOURCE)
    document[0].render(scale=2).to_pil().save(image, "PNG")
    document.close()
    return _data_url(image.getvalue(), "png")


def _as_html(document: ConvertedDocument) -> str:
    html = str(MarkdownIt("commonmark").enable("table").render(document.markdown))
    for name, content in document.assets.items():
        html = html.replace(f'src="assets/{name}"', f'src="{_data_url(content, name.rpartition(".")[2])}"')
    return html


def _data_url(content: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


if __name__ == "__main__":
    main()
