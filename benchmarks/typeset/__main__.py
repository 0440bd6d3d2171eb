"""Makes the pages: python -m benchmarks.typeset OUT."""

from benchmarks.making import write_series
from benchmarks.typeset import make_all

if __name__ == "__main__":
    write_series("typeset", make_all)
