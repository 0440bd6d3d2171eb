"""Bugs in what a server takes in: rights that leak, parts that count and should not, files that are never cleared."""

from tests.mutants import suites
from tests.mutants.mutant import Mutant

UPLOADS = [
    Mutant(
        name="who knows the hash of a document goes on with what another project sends of it",
        file="server/sources_in.py",
        within="SourcesIn.missing",
        old="""self._multipart.nonce("source", project, source_hash, size)""",
        new="""self._multipart.nonce("source", source_hash, size)""",
        tests=suites.PARTS_OVER_HTTP,
    ),
    Mutant(
        name="the address of one part is good for every part",
        file="server/file_urls.py",
        within="FileUrls._signature",
        old="""map(str, grant)""",
        new="""map(str, grant[:4])""",
        tests=suites.PARTS_OVER_HTTP,
    ),
    Mutant(
        name="a document whose parts were wrong stays, and is found damaged for ever",
        file="server/sources_in.py",
        within="SourcesIn.place",
        old="""
            self._blobs.delete(key)
            if size is None: ...
        """,
        new="""
            if size is None: ...
        """,
        tests=suites.PARTS_OVER_HTTP,
    ),
    Mutant(
        name="a part that is too short is joined with the others",
        file="blobs/directory_multipart.py",
        within="DirectoryMultipart._append",
        old="os.fstat(source.fileno()).st_size != part.size",
        new="False",
        tests=suites.PARTS,
    ),
    Mutant(
        name="the parts of an upload are those of every key that begins like its own",
        file="blobs/directory_multipart.py",
        within="_beginning",
        old="""f"{_PART}{quote(key, safe='')}~\"""",
        new="""f"{_PART}{quote(key, safe='')}\"""",
        tests=suites.PARTS,
    ),
    Mutant(
        name="a source that nobody told of is looked for without an end",
        file="server/store_rounds.py",
        within="_looks",
        old="min(age, EXPECTED_WITHIN) / FIRST_LOOK",
        new="age / FIRST_LOOK",
        tests=suites.STORE_ROUNDS,
    ),
    Mutant(
        name="an upload that somebody goes on with is cleared away",
        file="server/multipart_in.py",
        within="MultipartIn.clear_abandoned",
        old="self._multipart.abandoned(place, before=before)",
        new="self._multipart.abandoned(place, before=before.replace(year=9999))",
        tests=suites.STORE_ROUNDS,
    ),
]
