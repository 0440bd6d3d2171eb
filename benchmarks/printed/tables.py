"""Merges table cells: what pipe tables write as an empty cell is often one wide cell on paper."""

import re

TABLE = re.compile(r'<table class="([^"]*)">.*?</table>', re.DOTALL)
WIDE_HEAD = re.compile(r"<th([^>]*)>([^<]+)</th>((?:\s*<th[^>]*></th>)+)")
FIRST_ROW = re.compile(r"(</tr>\s*)</thead>\s*<tbody>\s*(<tr>.*?</tr>)", re.DOTALL)
SECTION = re.compile(r"<tr>\s*<td[^>]*>([^\n]+?)</td>((?:\s*<td[^>]*></td>)+)\s*</tr>")


def with_merged_cells(body: str) -> str:
    """Class `spans`: a head of two lines with wide cells. Class `sections`: rows that are one wide cell."""
    return TABLE.sub(_merge, body)


def _merge(table: re.Match[str]) -> str:
    text, classes = table[0], table[1].split()
    if "spans" in classes:
        text = FIRST_ROW.sub(_second_head_line, WIDE_HEAD.sub(_wide_head, text), count=1)
    if "sections" in classes:
        text = SECTION.sub(_section, text)
    return text


def _wide_head(cell: re.Match[str]) -> str:
    width = 1 + cell[3].count("<th")
    return f'<th class="wide" colspan="{width}">{cell[2]}</th>'


def _second_head_line(row: re.Match[str]) -> str:
    line = row[2].replace("<td", "<th").replace("</td", "</th")
    return f"{row[1]}{line}</thead><tbody>"


def _section(row: re.Match[str]) -> str:
    width = 1 + row[2].count("<td")
    return f'<tr class="section"><td colspan="{width}">{row[1]}</td></tr>'
