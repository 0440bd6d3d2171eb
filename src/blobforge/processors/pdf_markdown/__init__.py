"""PDFs into Markdown: an engine reads the pages, OCR those without text, and every page is accounted for."""
