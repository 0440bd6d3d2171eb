"""The words of lab reports, language by language."""
