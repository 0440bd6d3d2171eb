"""The contract of Accounts, part by part."""
