"""`python -m benchmarks.engine_run ENGINE IN OUT`: one engine on the PDFs of a folder, with what it cost.

Prints pages, CPU seconds and peak memory in MB as JSON. Starting the program and loading the engine do not count.
"""

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from blobforge.ports.processor import Slice
from blobforge.processors.pdf_markdown.engines import registry
from blobforge.processors.pdf_markdown.engines.engine import Document, PageText

Convert = Callable[[Path], str]


def main() -> None:
    name, library, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    convert = _peer(name)
    began = time.process_time()
    pages = failed = 0
    for path in sorted(library.glob("*.pdf")):
        pages += _page_count(path)
        try:
            markdown = convert(path)
        except Exception as error:  # noqa: BLE001 - a document that an engine cannot read counts as nothing read
            print(f"{name} failed on {path.name}: {type(error).__name__}: {error}", file=sys.stderr)
            markdown, failed = "", failed + 1
        (out / f"{path.stem}.md").write_text(markdown, encoding="utf-8", errors="replace")
    seconds = time.process_time() - began
    print(json.dumps({"pages": pages, "failed": failed, "cpu_seconds": seconds, "peak_mb": _peak_mb()}))


def _peak_mb() -> float:
    """Of this program alone: where the kernel keeps it by program, since the other count begins with the parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        found = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith("VmHWM"))
        return int(found.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024)


def _page_count(path: Path) -> int:
    import pypdfium2

    with pypdfium2.PdfDocument(path) as document:
        return len(document)


def _peer(name: str) -> Convert:
    if registry.is_known(name):
        return bare_engine(name)
    if name == "pdf-inspector":
        import pdf_inspector

        return lambda path: pdf_inspector.process_pdf(str(path)).markdown or ""
    import pdf_oxide

    pdf_oxide.disable_logging()
    return lambda path: str(pdf_oxide.PdfDocument(str(path)).to_markdown_all())


def bare_engine(name: str) -> Convert:
    """An engine behind our port, without the queue and the child around it."""
    engine = registry.engine_class(name)()

    def convert(path: Path) -> str:
        document = Document(path=path, pages=_page_count(path), survey={})
        document = Document(path=path, pages=document.pages, survey=engine.survey(document))
        read = sorted(engine.read(document, Slice(1, document.pages), lambda _: None), key=lambda page: page.number)
        stitched = engine.stitch(document, [PageText(page.markdown, page.passages) for page in read])
        return "\n\n".join(filter(None, stitched.texts))

    return convert


if __name__ == "__main__":
    main()
