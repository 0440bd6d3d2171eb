"""Blob stores: folders and buckets."""
