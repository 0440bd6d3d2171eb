"""Lab reports: text PDFs to structured observations."""
