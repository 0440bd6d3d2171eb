"""What every processor of documents needs: opening a PDF as it came, and OCR, by tesseract or another program."""
