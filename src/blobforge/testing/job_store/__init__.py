"""The contract of a JobStore by theme; blobforge.testing.job_store_contract puts them together."""
