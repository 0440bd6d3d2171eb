"""What people do with accounts. Secrets are made, shown once and kept as hashes, and all is in the audit trail."""
