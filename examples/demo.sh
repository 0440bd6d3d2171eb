#!/bin/sh
# Converts the example library into out/ and says what to open. Argument: the path of the blobforge program.
set -eu

if [ $# -ne 1 ]; then
    echo "usage: sh examples/demo.sh path/to/blobforge" >&2
    exit 2
fi

# The path is meant from where the caller stands; the rest happens at the root of the repository.
program=$1
case $program in
    /*) ;;
    */*) program=$PWD/$program ;;
esac
CDPATH='' cd -- "$(dirname -- "$0")/.."

# Queue and results live beside the output: the demo leaves nothing in your home folder.
BLOBFORGE_HOME=$PWD/out/.blobforge
letter="a scan, read with tesseract"
export BLOBFORGE_HOME

echo "Converting examples/library into out/ ..."
code=0
"$program" convert examples/library -o out || code=$?

echo
case $code in
    0)
        echo "All five documents are converted."
        ;;
    3)
        if command -v tesseract >/dev/null 2>&1; then
            echo "Some pages are missing; the lines above say which, and why."
        else
            letter="a scan, of which nothing is read yet"
            echo "All five documents are converted, but for pages 1 and 2 of scans/old-letter.pdf: they are pictures of"
            echo "text, and wait for tesseract, which is not installed. To have them read:"
            echo "    apt-get install tesseract-ocr    (Debian, Ubuntu)"
            echo "    brew install tesseract           (macOS)"
            echo "and run the same command again; what is done already is not done twice."
        fi
        ;;
    *)
        echo "blobforge ended with exit code $code; its messages are above." >&2
        exit "$code"
        ;;
esac

echo
echo "Open these:"
echo "    out/rulebook.md             two columns, boxes, stat blocks and striped tables"
echo "    out/report.md               ruled tables, lists, footnotes and links"
echo "    out/atlas.md                maps with captions, text around figures"
echo "    out/handbook.md             a long book with chapters"
echo "    out/scans/old-letter.md     $letter"
