"""Whether a processor still writes what its version wrote.

A result is known by its recipe: where the output changes and the version does not, results that are there count as
current for ever. So the digests of what each version makes of a fixed set of documents are kept in digests.json.
"""
