"""What every processor of documents needs: opening a PDF as it came, and finding and running tesseract."""
