"""The versions of this processor and of our own engine. Whatever changes their output adds one here, which makes the
results of the others old."""

from blobforge.ports.processor import VersionChange

OURS = "blobforge"
CHANGES = (
    VersionChange("1", "the first version"),
    VersionChange("2", "document.json says where each page and block lies in the Markdown"),
    VersionChange(
        "3", "pages whose content is damaged in the file are doubtful, or gaps where nothing of them is left"
    ),
    VersionChange(
        "4",
        "pages with noise among what they draw, or with a damaged or lost image, form or font, are doubtful, and "
        "letters that a damaged font has lost are read from the picture of the page; torn files that open nevertheless "
        "count as repaired, also where only the tree of their pages is torn; filled fields, text boxes, stamps and "
        "captions of lines are read",
    ),
    VersionChange(
        "5",
        "scans with some lines of digital text are read as a whole, as are those whose hidden text covers a part of "
        "them, and letters in outlines beside text; without tesseract they are gaps; lines that OCR passes over are "
        "looked for again; what OCR is not sure of is doubtful; attached files and dynamic forms are told; forms on "
        "layers that are off are left out",
    ),
    VersionChange(
        "6",
        "what a viewer shows of layers is read and nothing else, by whatever means they are on or off, annotations and "
        "images on them among it; text in outlines beside other text is read by OCR, however much of it one path "
        "holds; pages whose text makes no words wait for tesseract where it is missing; a single line that a hidden "
        "layer lacks makes the scan be read anew, and one beside digital text be read; files with a form that lost a "
        "page, or what a page draws, count as repaired; captions of lines that are left to the viewer are read",
    ),
    VersionChange(
        "7",
        "damaged annotations, fields and faxes make their page doubtful; streams that tell too short a length are read "
        "whole, and text in soft masks is read; boxes tell whether they are ticked",
    ),
    VersionChange(
        "8",
        "short pieces of print that OCR passes over, such as single figures in a column, are looked for again, and are "
        "doubtful where they cannot be read; scans that lie on their side are turned, however sure OCR is of them",
    ),
)
CHANGES_OF_OURS = (
    VersionChange("1", "the first version", engine=OURS),
    VersionChange("2", "another analysis of columns, boxes, headings, lists and tables", engine=OURS),
    VersionChange("3", "nineteen rules for tables and text went that changed no score; few tables differ", engine=OURS),
    VersionChange(
        "4",
        "fonts whose codes stand for no characters make a page doubtful; what has no size or is nowhere is left out; "
        "footnotes that follow each other are one note each; what is told beside a glyph is no stray letter any more, "
        "and ligatures are read that only the names of their glyphs tell",
        engine=OURS,
    ),
    VersionChange(
        "5",
        "text at any angle is read; fonts whose codes read as no language make a page doubtful; drawn letters are read "
        "by the names of their glyphs",
        engine=OURS,
    ),
    VersionChange("6", "brackets of right-to-left text stand before what they open", engine=OURS),
    VersionChange(
        "7",
        "rows at the edges of pages that differ in their figures are no running heads; what runs along and stands "
        "nowhere else is told once; no document takes fonts or faults from the one before it; letters told beside a "
        "glyph are read, hyphens of addresses and ticks before items stay, and signs of numbers in right-to-left lines",
        engine=OURS,
    ),
    VersionChange(
        "8",
        "numbers that may count invoices are told, though they count with the pages; rows at the edges of tables over "
        "pages keep their labels, and two rows are one only where words go on; stamps and watermarks at any angle are "
        "told once; right-to-left pages with brackets and ligatures that are told beside what is drawn, as browsers "
        "print them, are read whole and in order; stops, percents and the parts of numbers stand right in such lines",
        engine=OURS,
    ),
)
VERSION = CHANGES[-1].version
VERSION_OF_OURS = CHANGES_OF_OURS[-1].version
