"""Packages with entry points, as someone else would install them."""

from pathlib import Path

WORKING = """
from blobforge.domain.errors import InvalidOptions
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import ProcessorInfo


class Upper:
    info = ProcessorInfo(name="upper", version="2.1", summary="Makes text loud", types=("shout", "text"))

    def recipe(self, options):
        if options:
            raise InvalidOptions("upper takes no options")
        return Recipe(processor="upper", version="2.1", engine="horn", engine_version="7")

    def needs(self, options, *, refused=None):
        return frozenset()

    def has(self):
        return frozenset()
"""

WITHOUT_ENGINE = """
from blobforge.domain.errors import EngineUnavailable, InvalidOptions
from blobforge.domain.recipe import Recipe
from blobforge.ports.processor import ProcessorInfo


class NeedsNothing:
    def needs(self, options, *, refused=None):
        return frozenset()

    def has(self):
        return frozenset()


class Lower(NeedsNothing):
    info = ProcessorInfo(name="lower", version="1.0", summary="Makes text quiet", types=("hush",))

    def recipe(self, options):
        raise EngineUnavailable("engine cotton is not installed: pip install cotton")


class Hasty(NeedsNothing):
    info = ProcessorInfo(name="hasty", version="1.0", summary="Forgets things", types=("haste",))

    def recipe(self, options):
        return Recipe(processor="hasty", version="1.0", engine=options["engine"], engine_version="7")


class Choosy(NeedsNothing):
    info = ProcessorInfo(name="choosy", version="1.0", summary="Has a choice of engines", types=("choice",))

    def recipe(self, options):
        engine = options.get("engine", "liteparse")
        if engine == "marker":
            raise EngineUnavailable("engine marker is not installed")
        if engine == "docling":
            engine = "another"
        return Recipe(processor="choosy", version="1.0", engine=engine, engine_version="7")


class Deaf(NeedsNothing):
    info = ProcessorInfo(name="deaf", version="1.0", summary="Lacks what it needs", types=("silence",))

    def recipe(self, options):
        if options:
            raise InvalidOptions("deaf takes no options")
        return Recipe(processor="deaf", version="1.0", engine="ear", engine_version="7")

    def needs(self, options, *, refused=None):
        return frozenset({"engine:trumpet"})
"""


def install(folder: Path, package: str, *, entry_points: str, modules: dict[str, str], version: str = "1.0") -> None:
    """Lays a package out as an installer does, in a folder that is on the path."""
    metadata = folder / f"{package.replace('-', '_')}-{version}.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (metadata / "entry_points.txt").write_text(entry_points)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
