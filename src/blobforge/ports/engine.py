"""What is known of an engine before it is loaded. What it does is said by the processor that it reads for."""

from typing import NamedTuple


class EngineInfo(NamedTuple):
    """The `info` of a class that an entry point of the group `blobforge.engines` names."""

    distribution: str
    """The package that it comes from. Its version is in the recipe, so that results are made anew when it changes."""
    install: str
    """The command that brings it to a machine."""
    remark: str = ""
    """What a person should know before installing it."""
    own_version: str = ""
    """Of what is added to the package, for the recipe too; where the engine is the package, there is none."""
    explains: bool = False
    """Whether it gives passages, from which an explanation can be made."""
