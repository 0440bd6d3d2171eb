"""Pages that OCR has read, in the same model."""
