"""The patient: labels with their texts, names and their order, the birthday."""
