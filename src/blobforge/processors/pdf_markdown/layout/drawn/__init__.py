"""Reads a page from its file with pdf-oxide and PDFium into `PageContent`."""
