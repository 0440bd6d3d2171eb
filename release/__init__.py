"""What locks, audits and builds a release; `make lock`, `make check` and `make release` call it."""
