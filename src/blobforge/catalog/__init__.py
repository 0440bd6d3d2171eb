"""What this machine knows of its own files: hashes of sources, and outputs as they were written."""
