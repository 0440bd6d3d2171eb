"""`convert`: ingest and a worker over the embedded queue, and the folder where a person finds the results."""
