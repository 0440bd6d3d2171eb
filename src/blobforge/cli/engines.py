"""The engines that users may ask for by name, and the package of each: it tells its version without being imported."""

ENGINES = {
    "blobforge": "pdf-oxide",
    "liteparse": "liteparse",
    "pymupdf4llm": "pymupdf4llm",
    "marker": "marker-pdf",
    "docling": "docling",
}
