"""The queue of a foreign application: its tables `pdf_jobs` and `uploaded_documents`, used as they are."""
