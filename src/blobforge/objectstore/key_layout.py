"""The prefixes of a bucket that is both a queue and its store, which the queue and the blob store share."""

RAW = "store/raw/"
OUT = "store/out/"
"""The published result of a document; the queue writes it, which completes the job."""
RECIPES = "store/recipes/"
"""Results that were published before, by other recipes."""
RECIPE = "recipe"
"""The field of a result's metadata with its recipe."""

GENERATION = "generation"
"""The field of a result's metadata with the generation of its job: the queue never publishes without it."""
LANES = "lanes/"
LANE_LIST = "registry/lanes/"
"""An object for each lane that was ever opened: a lane is a (project, type), and has prefixes of its own."""
MAIN_LANE = ("default", "pdf")
"""Its prefixes are those of document 000."""


def raw_name(source_hash: str) -> str:
    return f"{RAW}{source_hash}.pdf"


def lane_prefix(project: str, job_type: str) -> str:
    return "" if (project, job_type) == MAIN_LANE else f"{LANES}{project}/{job_type}/"


def out_name(project: str, job_type: str, source_hash: str) -> str:
    return f"{lane_prefix(project, job_type)}{OUT}{source_hash}.zip"


def listed_lane(name: str) -> tuple[str, str] | None:
    """The project and the type that an entry of the list of lanes names; None for what is none."""
    project, tilde, job_type = name.removeprefix(LANE_LIST).partition("~")
    return (project, job_type) if tilde and project and job_type else None
