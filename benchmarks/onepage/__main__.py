"""Makes the pages: python -m benchmarks.onepage OUT."""

from benchmarks.making import write_series
from benchmarks.onepage import make_all

if __name__ == "__main__":
    write_series("onepage", make_all)
