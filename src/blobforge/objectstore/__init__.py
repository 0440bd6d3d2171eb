"""The one wrapper of the S3 SDK: conditional writes, listings, transfers, and what the answers mean."""
