"""The contract of every OutputLedger.

A subclass gives one fixture: `open_ledger`, a function that opens another handle on the same ledger at each call.
"""

import os
from collections.abc import Callable

import pytest

from blobforge.domain.ids import RecipeId
from blobforge.ports.output_ledger import Output, OutputLedger, WrittenFile
from blobforge.testing.builders import hash_of

OpenLedger = Callable[[], OutputLedger]

RECIPE = RecipeId("0123456789abcdef")


def an_output(path: str = "/out/a.md", *, recipe_id: RecipeId = RECIPE, more: tuple[WrittenFile, ...] = ()) -> Output:
    main = WrittenFile(os.path.basename(path), 12, 1_700_000_000_123_456_789, "0" * 64)  # noqa: PTH119 - text alone
    return Output(path, hash_of(repr(path)), recipe_id, 3, 0, (), (main, *more))


class OutputLedgerContract:
    @pytest.fixture
    def ledger(self, open_ledger: OpenLedger) -> OutputLedger:
        return open_ledger()

    def test_an_output_comes_back_as_it_was_written(self, ledger: OutputLedger) -> None:
        pictures = (WrittenFile("a.assets/1.png", 2**40, -1, "1" * 64), WrittenFile("a.assets/2.png", 0, 0, "2" * 64))
        output = an_output(more=pictures)._replace(pages=9, pages_failed=2, codes=("ocr_failed", "ocr_unavailable"))
        output = output._replace(source="/in/a.pdf", doubts="the file was repaired", result_size=4_711)

        ledger.write([output])

        assert ledger.written([output.path]) == {output.path: output}

    def test_nothing_is_known_of_what_was_not_written(self, ledger: OutputLedger) -> None:
        ledger.write([an_output("/out/a.md")])

        assert ledger.written(["/out/b.md"]) == {}
        assert ledger.written([]) == {}

    def test_writing_again_replaces(self, ledger: OutputLedger) -> None:
        picture = WrittenFile("a.assets/1.png", 1, 1, "1" * 64)
        ledger.write([an_output(more=(picture,))])
        later = an_output(recipe_id=RecipeId("fedcba9876543210"))

        ledger.write([later])

        assert ledger.written([later.path]) == {later.path: later}

    @pytest.mark.parametrize("name", [os.fsdecode(b"caf\xe9"), "café", "two\nlines", "ü" * 120, "'\"\\%"])
    def test_a_name_need_not_be_valid_text(self, ledger: OutputLedger, name: str) -> None:
        output = an_output(f"/out/{name}.md", more=(WrittenFile(f"{name}.assets/{name}.png", 1, 1, "1" * 64),))

        ledger.write([output])

        assert ledger.written([output.path]) == {output.path: output}

    def test_ten_thousand_outputs_are_found_at_once(self, ledger: OutputLedger) -> None:
        outputs = [an_output(f"/out/{number % 100}/{number}.md") for number in range(10_000)]

        ledger.write(iter(outputs))

        assert ledger.written([output.path for output in outputs]) == {output.path: output for output in outputs}
        assert set(ledger.written([output.path for output in outputs[::2]])) == {o.path for o in outputs[::2]}
        assert ledger.written([outputs[0].path, "/out/none.md"]) == {outputs[0].path: outputs[0]}

    def test_the_outputs_of_a_folder_are_known_with_their_sources(self, ledger: OutputLedger) -> None:
        name = os.fsdecode(b"caf\xe9")
        made = {
            f"/out/{name}.md": f"/docs/{name}.pdf",
            "/out/deep/er/b.md": "/docs/b.pdf",
            "/out.md": "/docs/out.pdf",
            "/outer/c.md": "/docs/c.pdf",
            "/out-2/d.md": "/docs/d.pdf",
            "/out/of-old.md": "",
        }
        ledger.write(an_output(path)._replace(source=source) for path, source in made.items())

        assert ledger.sources_below("/out") == {path: made[path] for path in (f"/out/{name}.md", "/out/deep/er/b.md")}
        assert ledger.sources_below("/out/deep") == {"/out/deep/er/b.md": "/docs/b.pdf"}
        assert ledger.sources_below("/none") == {}
        assert ledger.written(["/out/deep/er/b.md"])["/out/deep/er/b.md"].source == "/docs/b.pdf"

    def test_what_is_forgotten_is_unknown(self, ledger: OutputLedger) -> None:
        ledger.write([an_output("/out/a.md"), an_output("/out/b.md")])

        ledger.forget(["/out/a.md", "/out/none.md"])

        assert list(ledger.written(["/out/a.md", "/out/b.md"])) == ["/out/b.md"]

    def test_what_one_handle_writes_the_next_one_knows(self, open_ledger: OpenLedger) -> None:
        early = open_ledger()
        output = an_output()
        open_ledger().write([output])

        assert early.written([output.path]) == open_ledger().written([output.path]) == {output.path: output}
