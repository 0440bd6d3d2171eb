"""The report: tables, lists, footnotes, links and a chart on plain pages."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from examples.typesetting.press import Flowable, frame, open_document, typeset
from examples.typesetting.report_style import (
    BODY,
    BOTTOM,
    FIGURE_CAPTION,
    FOOTNOTE_HEIGHT,
    MARGIN,
    PAGE_HEIGHT,
    SUBTITLE,
    TEXT_WIDTH,
    TITLE,
    TOP,
    bar_chart,
    body,
    bullets,
    draw_page,
    grid_table,
    heading,
    inner_bullets,
    link,
    note,
    numbered,
    open_table,
    subheading,
)
from reportlab.lib.pagesizes import A4
from reportlab.platypus import KeepTogether, NextPageTemplate, PageBreak, PageTemplate

RUNNING_TITLE = "Renewal of the quay lighting: report on the third quarter"
FOOTNOTES: Mapping[int, Mapping[int, str]] = {
    1: {
        1: "Quays are counted as in the harbour bye-laws; the fish market counts as part of the East Quay.",
        2: "Measured at the sub-station meters, which also feed the two slipway winches.",
    },
    2: {3: "A lantern is counted as renewed when it has burned for seven nights without a fault."},
    3: {
        4: "The tariff is the night rate of the district supplier, 0.21 crowns for each kilowatt-hour.",
        5: "Survey of 44 berth holders in September; 39 answered.",
    },
    4: {6: "The reserve stood at 18,400 crowns on the last day of the quarter."},
}


def write(path: Path) -> None:
    document = open_document(
        path,
        title="Renewal of the Quay Lighting: Report on the Third Quarter",
        subject="A report of an invented harbour trust, written for BlobForge",
        page_size=A4,
    )
    document.addPageTemplates([_page_template(page) for page in FOOTNOTES])
    document.build([*_summary(), *_works(), *_energy(), *_outlook()])


def _page_template(page: int) -> Flowable:
    """Pages break where the story says, so each page knows its footnotes."""
    top = TOP + 8 if page == 1 else TOP
    room = frame(
        "text",
        left=MARGIN,
        bottom=BOTTOM + FOOTNOTE_HEIGHT,
        width=TEXT_WIDTH,
        height=PAGE_HEIGHT - top - BOTTOM - FOOTNOTE_HEIGHT,
    )
    draw = partial(draw_page, running_title=RUNNING_TITLE, footnotes=FOOTNOTES[page])
    return PageTemplate(f"page {page}", frames=[room], onPage=draw)


def _turn_to(page: int) -> list[Flowable]:
    return [NextPageTemplate(f"page {page}"), PageBreak()]


def _summary() -> list[Flowable]:
    return [
        typeset("Renewal of the Quay Lighting", TITLE),
        typeset("Report on the third quarter, to the Board of the Trust", SUBTITLE),
        heading("1 Summary", anchor="summary"),
        *body(f"""
            The Trust is replacing the sodium lamps on its four quays{note(1)} with shielded lanterns that can be
            dimmed. At the end of the third quarter 212 of the 296 lanterns are in place, which is eleven more than
            planned. The work has cost 61,940 crowns so far, 2.4&nbsp;% less than the budget for the period.

            In the third quarter the quays drew 45&nbsp;% less electricity at night{note(2)} than in the same months of
            last year. No accident has been put down to the lighting. Complaints about glare from the houses
            above the West Quay have stopped altogether; complaints about the noise of the work have not."""),
        heading("2 What was asked for", anchor="aims"),
        *body("The Board decided in January that the new lighting should do four things:"),
        *bullets(
            "cut the electricity used for lighting by at least 40&nbsp;% within two years;",
            "light every ladder, bollard and gangway to 10 lux, and the water to as little as possible;",
            """keep the leading lights of the harbour easy to tell from the lamps on shore, as the pilots have asked
            for since the new cold store was built;""",
            "be mended by the harbour's own staff, with parts that two makers can supply.",
        ),
        *body(f"""
            The decision and the drawings are kept with the minutes, and a copy can be read at
            {link("the Trust's page on the renewal", target="https://harbour.example.org/lighting")}. The state of the
            works is described in {link("section 3", target="#works")}, the use of electricity in
            {link("section 4", target="#energy")}, and what we ask of the Board in
            {link("section 5", target="#outlook")}."""),
        heading("3 State of the works", anchor="works"),
        *body("""
            The contractor began on the North Quay, where the old columns were in the worst state, and has moved
            clockwise around the basin. The columns themselves are kept wherever the survey found them sound. Where
            they were not, the new ones are of galvanised steel, two metres shorter, and stand on the old footings.

            Cables are laid in the old ducts. Three of these had collapsed under the rails of the former coal crane,
            and the contractor has bored new ones beneath the rails without lifting them. The rails are listed, and
            the surveyor of monuments, who came to watch, was satisfied. The boring cost four days, which were made
            good in May.

            Every section is handed over in the same way: the contractor's electrician, the harbour's own, and one
            member of the Board walk the quay together after dark, from ladder to ladder, with a light meter and the
            drawings. What falls short is written on the drawing and mended before the section is paid for. Four
            ladders fell short on the North Quay and none on the East Quay."""),
        *_turn_to(2),
    ]


def _works() -> list[Flowable]:
    rows = [
        ("Quay", "Contractor's section", "Planned", "In place", "Columns kept", "Cost (crowns)"),
        ("North Quay", "A, finished in April", "84", "84", "61", "23,180"),
        ("East Quay", "B, finished in July", "72", "72", "66", "18,455"),
        ("South Mole", "C, in progress", "90", "56", "31", "20,305"),
        ("West Quay", "D, begins in October", "50", "0", "not surveyed", "0"),
        ("All quays", "", "296", "212", "158", "61,940"),
    ]
    return [
        *body(f"""
            Table 1 shows the lanterns in place on 30 September.{note(3)} The South Mole is ahead of its plan
            because the weather in August allowed work from the barge on nineteen days, against a usual twelve."""),
        grid_table(
            "<b>Table 1.</b> Lanterns planned and in place, by quay",
            rows,
            widths=[66, 116, 56, 56, 72, 87],
            numeric_from=2,
        ),
        subheading("3.1 Faults found and mended"),
        *body("""
            Thirty-one faults were reported in the quarter, of which twenty-nine were mended within two nights.
            They fall into three groups:"""),
        *bullets("Water in the junction boxes of the South Mole (17 cases). The cause is known:"),
        *inner_bullets(
            "the cable glands supplied first were made for a thinner cable, and",
            "the covers had been closed with the seal on the wrong side in one delivery of forty boxes.",
        ),
        *bullets(
            "Lanterns that did not dim (11 cases), all cured by a new version of the controller's program.",
            "Damage by vehicles (3 cases). One column was bent by a fork-lift truck and has been replaced.",
        ),
        subheading("3.2 How a lantern is changed"),
        *body("""
            The staff have asked for the procedure to be written down, so that the night watch can follow it when
            nobody else is about. It takes two people about forty minutes."""),
        *numbered(
            "Switch the column off at its own box and hang the tag on the switch.",
            "Test that the lantern is dead, with the tester that was itself tested that morning.",
            "Lower the head to the stop; do not unhook the safety line before the second person holds the head.",
            "Change the lantern, closing the seal with the ridge towards the cover.",
            """Raise the head, take the tag off, switch on, and watch the lantern through one full cycle of dimming.""",
            "Write the number of the column, the time and both names into the lighting book.",
        ),
        subheading("3.3 Noise"),
        *body("""
            Nine households wrote to us about noise, most of them about the compressor on the barge. It now stands
            on rubber feet behind straw bales, and is not started before eight. We measured 52 decibels at the
            nearest window before the change and 43 after it. Two of the nine have written again, to thank us; the
            other seven have not written again."""),
        *_turn_to(3),
    ]


def _energy() -> list[Flowable]:
    months = ["March", "April", "May", "June", "July", "August", "September"]
    last_year = [11.8, 9.9, 7.9, 6.6, 7.2, 8.8, 10.7]
    this_year = [10.9, 8.4, 6.1, 4.4, 4.3, 4.9, 5.6]
    chart = bar_chart(
        months, {"Before the renewal": last_year, "This year": this_year}, top=14, step=2, unit="MWh a month"
    )
    rows = [
        ("Item", "Q1", "Q2", "Q3", "Year to date"),
        ("Electricity, lighting (MWh)", "33.1", "18.9", "14.8", "66.8"),
        ("Electricity at the night tariff (crowns)", "6,951", "3,969", "3,108", "14,028"),
        ("Lamps and spare parts (crowns)", "1,120", "640", "385", "2,145"),
        ("Hours of the harbour's own staff", "212", "171", "148", "531"),
        ("Cost of keeping the quays lit (crowns)", "13,371", "8,884", "7,193", "29,448"),
    ]
    return [
        heading("4 Use of electricity", anchor="energy"),
        *body(f"""
            Figure 1 sets the months since March beside the same months of last year. The fall is larger than the
            number of new lanterns alone would explain, since the new ones are dimmed to a third of their power
            between midnight and five. At the present tariff{note(4)} the saving pays for the lanterns in about
            nine years, and sooner if the hours of our own staff fall as we expect."""),
        KeepTogether(
            [
                chart,
                typeset("<b>Figure 1.</b> Electricity drawn by the quay lighting, March to September", FIGURE_CAPTION),
            ]
        ),
        *body("""
            Table 2 gives the whole cost of keeping the quays lit. The hours of the harbour's own staff are charged
            at 25 crowns. Staff hours have fallen less than the electricity has, because the faults described above
            took time to trace; we expect them to fall by another third next year."""),
        open_table(
            "<b>Table 2.</b> Cost of keeping the quays lit, by quarter",
            rows,
            widths=[TEXT_WIDTH - 260, 60, 60, 60, 80],
            numeric_from=1,
        ),
        subheading("4.1 What the berth holders say"),
        *body(f"""
            Of the berth holders who answered our questions,{note(5)} thirty-one find the new light better for
            working on deck, six see no difference, and two find it worse. Both of these berth at the far end of the
            South Mole, where three lanterns still wait for their shields."""),
        *_turn_to(4),
    ]


def _outlook() -> list[Flowable]:
    rows = [
        ("Risk", "Likelihood", "What we do about it"),
        ("The West Quay columns fail the survey", "Medium", "Order twenty columns now, with the right to return them"),
        ("Winter storms stop work from the barge", "High", "Do the inner face of the mole from the road first"),
        ("One maker stops supplying controllers", "Low", "Keep twelve in store; the second maker's type is tested"),
    ]
    return [
        heading("5 What comes next", anchor="outlook"),
        *body(f"""
            Work on the West Quay begins on 14 October and should end before the herring season. It is the quay
            nearest the town, and we shall work there by day only. The survey of its columns is due in the first
            week. If more than half of them must be replaced, the work will need about 9,000 crowns from the
            reserve.{note(6)}"""),
        grid_table(
            "<b>Table 3.</b> Risks in the fourth quarter", rows, widths=[160, 68, TEXT_WIDTH - 228], numeric_from=3
        ),
        subheading("5.1 Decisions we ask of the Board"),
        *numbered(
            "To note that the works are ahead of plan and within the budget.",
            "To allow up to 9,000 crowns from the reserve for columns on the West Quay, if the survey calls for it.",
            """To let the lanterns on the South Mole stay dimmed from eleven o'clock, an hour earlier than now, from
            the first of November.""",
            f"""To publish the monthly figures at
            {link("harbour.example.org/lighting/figures", target="https://harbour.example.org/lighting/figures")}.""",
        ),
        subheading("5.2 Later stages"),
        *body("""
            The footbridge, the slipways and the yard of the pilot station are not part of this work. Their lamps
            are newer and will last for another four years. We shall come back to the Board with a proposal once a
            full winter of figures is known, and we suggest that the leading lights be looked at in the same
            stage, because they hang on the same supply."""),
        subheading("5.3 Thanks"),
        *body("""
            The night watch kept the harbour working through eight months of holes, cables and borrowed torches, and
            found most of the faults before anybody else did. The pilots rode out with us on four nights to look
            at the lights from the water. We are grateful to both."""),
        typeset("<i>Ketil Marrow, harbour engineer</i><br/>Skerrow, 9 October", BODY),
    ]
