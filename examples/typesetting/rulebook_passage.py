"""The rulebook's first half: setting out, days on the water, locks and weather."""

from examples.typesetting.press import Flowable, small_caps, typeset
from examples.typesetting.rulebook_style import (
    CHAPTER,
    CHAPTER_NUMBER,
    COLUMN_WIDTH,
    EPIGRAPH,
    GOLD,
    body,
    drop_cap,
    heading,
    sidebar,
    striped_table,
    subheading,
)
from reportlab.platypus import FrameBreak, HRFlowable, NextPageTemplate, Spacer


def opening() -> list[Flowable]:
    return [
        NextPageTemplate("inside"),
        typeset(small_caps("Chapter Three", size=13), CHAPTER_NUMBER),
        typeset(small_caps("Travelling the Long Water", size=31), CHAPTER),
        Spacer(1, 6),
        HRFlowable(width="40%", thickness=1, color=GOLD, spaceAfter=10),
        typeset(
            "“There are nine hundred locks between the hills and the sea. I have opened "
            "every one of them, and not one has ever thanked me.”<br/>"
            "Ansa Threllick, lock-keeper of the Upper Pound",
            EPIGRAPH,
        ),
        FrameBreak(),
    ]


def setting_out() -> list[Flowable]:
    return [
        drop_cap("""
            Before the flood there were roads. The old maps show them, straight as rulers, running from
            market to market through country that nobody alive has seen dry. Now the kingdom is a hundred
            islands and one long water, and whoever would go from anywhere to anywhere goes by boat, by lamp,
            and by the patience of the people who keep the locks."""),
        *body("""
            This chapter is about those journeys. It tells you how to plan a passage, how to spend the days of
            it, what the weather does, and what lives in the reeds. A journey in <i>Wick &amp; Weir</i> is never
            the dull part between two adventures. The water remembers who has crossed it, and it has opinions."""),
        *heading("Setting Out"),
        *body("""
            Every passage begins with a chart, a cargo and a promise. The Teller lays the chart on the table and
            says what is known: how many pounds of water lie between here and there, which locks are kept, and
            which have been left to the herons. The players choose a cargo, even if it is only themselves,
            because an empty boat is bad luck and poor trade. Then each of them makes a promise about the
            journey, aloud, and writes it down.

            A promise may be large or small. “I will bring the letter dry” is a promise, and so is “I will not
            quarrel with Odo”. A keeper who holds to the promise until the last lock gains one point of Glim. A
            keeper who breaks it loses nothing at all, except that the boat has heard."""),
        subheading("The Crew and Its Duties"),
        *body("""
            Four duties must be done on every day of a passage. One keeper takes the <b>tiller</b> and makes
            any test of steering. One stands <b>lamp</b>, and spends the wicks. One minds the <b>line</b>: the
            ropes, the poles, and whoever falls in. The last one keeps the <b>tally</b>, which is the ship's
            book, and is asked by the Teller at the end of each day what it says.

            A crew of fewer than four must double up. A keeper with two duties makes every test of both with
            one die less. A crew of more than four may rest somebody, who recovers one Breath and may cook."""),
        *sidebar(
            "What the Tally Is For",
            """
            The tally is more than a game aid. At the end of each day the keeper of the tally writes one line,
            in a sentence that somebody in the story could have written. Nobody may correct it.

            When two players later disagree about what happened, the tally is right. If the tally says that the
            bridge at Corrow was guarded by a very large cat, then it was, and the Teller should think hard about
            what such a cat would want.""",
        ),
        *heading("The Measure of a Day"),
        *body("""
            The water is measured in <b>pounds</b>. A pound is the stretch between two locks, and it takes a
            loaded boat about a quarter of a day. A crew that keeps ordinary hours travels three pounds between
            breakfast and dark. A crew in a hurry may attempt a fourth, by lamplight, at the cost of one wick
            and a test of Nerve.

            For each pound, the Teller asks three questions in order. Is the lock kept? Does the weather
            change? Does anything notice you? The first is answered by the chart, the second by Table 3--1, and
            the third by the height of the water."""),
        subheading("Testing Against the Water"),
        *body("""
            The water stands somewhere between 2 and 6, and the Teller says where. When a keeper tries something
            that the water could spoil, the player rolls as many dice as the keeper has points in the fitting
            rating. Every die that shows <i>more</i> than the height of the water is a <b>catch</b>.

            With no catch at all, the water takes something: time, a wick, or a thing that was not tied down. One
            catch gets the work done at a price which the Teller names first. Two catches are a clean success.
            With three or more, the player may add a detail that nobody expected, and it is true.

            When the height stands at 6 no die can beat it. Such water is called <b>blind</b>, and only a lit
            lamp helps: each wick burned lowers the height by one for as long as it takes to say so."""),
        *heading("Boats and Their Manners"),
        *body("""
            The common boat of the long water is the <b>lighter</b>: fifty feet of oak, flat below and stubborn
            above, with a cabin aft that sleeps four if two of them are friends. She draws two feet loaded. She
            will not be hurried, and she cannot be stopped in less than her own length for each keeper aboard.

            A <b>skiff</b> carries three people and no cargo to speak of, travels four pounds in a day, and is
            the first thing that the water takes. A <b>packet</b> belongs to the post, runs by night, and gives
            way to nobody. Meeting a packet in a cutting is a test of Nerve for everyone who is awake.

            Boats have one rating, <b>Timber</b>, which begins at six. Whenever the crew tests and makes no catch
            at all, the player may give up one point of Timber in place of whatever the water wanted. A boat
            with no Timber left is not sunk. She has simply decided to stay where she is."""),
        subheading("Mending"),
        *body("""
            A day spent at a kept lock, with a fire and the lock-keeper's good will, restores two points of
            Timber. A day spent against a bank restores one, and the Teller asks the third question as if the
            crew had been under way: a boat that is being hammered can be heard a long way off. Timber beyond
            the first six can be had only from a shipwright, who will want to be told the boat's name and the
            reason for it.

            Keepers mend more slowly than boats. A night of sleep gives back one Breath, a hot meal gives back
            another, and there is no third way. Physic, prayer and strong drink all feel as though they ought
            to help, and a player is welcome to describe them."""),
    ]


def locks() -> list[Flowable]:
    return [
        *heading("Kept and Unkept Locks"),
        *body("""
            A <b>kept</b> lock has a keeper, a fire, and a book to sign. The crew pays one wick, or an hour of
            honest work, and passes through without a test. The lock-keeper will give news of the pound ahead,
            and the news is true, although it may be old.

            An <b>unkept</b> lock must be worked by hand. One keeper winds the paddles and tests Brawn; another
            leans on the beam and tests Nerve. They may use the better of the two results, but must share the
            price of the worse. If neither makes a catch, the chamber is fouled, and a quarter of the day goes
            to clearing it with poles."""),
        subheading("Leaving Gates Open"),
        *body("""
            Good crews close the gates behind them. A crew that does not is faster by an hour, and whoever comes
            after finds the pound drained to mud. The Teller keeps a secret count of open gates. When it comes
            to three, somebody on the long water has been ruined, and knows the name of the boat."""),
    ]


def weather() -> list[Flowable]:
    rows = [
        ("2d6", "Weather", "Height", "What it brings"),
        ("2", "Glass calm", "2", "Sound carries for miles; so do your voices."),
        ("3--4", "Low mist", "4", "Lamps show at ten paces. The line keeper must call."),
        ("5--6", "Soft rain", "3", "Nothing stays dry that was not promised dry."),
        ("7", "Fair", "2", "A good day. The tally should say so."),
        ("8--9", "Head wind", "4", "Two pounds today, not three, or one Breath each."),
        ("10", "Hard rain", "5", "Kept locks shut their gates until it passes."),
        ("11", "Spate", "5", "The current chooses one of your three pounds."),
        ("12", "The drowned bell", "6", "Blind water. Everyone aboard hears it, and counts."),
    ]
    return [
        *heading("Weather on the Water"),
        *body("""
            Roll for the weather at dawn and again whenever the chart shows a bridge, for bridges hold weather
            as gutters hold leaves. The new weather arrives over the length of one pound, so a careful crew has
            time to stow the cargo, trim the lamp, and argue."""),
        *striped_table(
            "Table 3--1: Weather by Day",
            rows,
            widths=[30, 58, 38, COLUMN_WIDTH - 126],
            centred=frozenset({0, 2}),
        ),
        *body("""
            Weather is never only a number. When it changes, the keeper at the lamp says what the light does,
            the keeper at the line says what the rope does, and only then does the Teller say what the height
            has become. Players who describe the weather well are not to be punished for it."""),
        subheading("Night Passages"),
        *body("""
            By night the height of the water rises by one, and the third question (does anything notice you?)
            is asked twice. A lit lamp burns one wick for each pound. A crew that travels dark saves its
            wicks, and must whisper: any player who raises their voice at the table, for any reason, has raised
            it on the boat as well."""),
        *sidebar(
            "An Example of Passage",
            """
            <b>Teller:</b> It is the second pound out of Corrow and the mist is down. The water stands at 4.
            What does the lamp show?

            <b>Imre:</b> My own hand, and a shape to the left that I do not like. I burn a wick.

            <b>Teller:</b> Then it stands at 3 for the moment. The shape is a gatepost. There was never a gate
            on this pound.

            <b>Sunniva:</b> I have the tiller, and three points of Craft. I roll two, four and five: that is two
            catches. We go round it, cleanly, and I do not look back.

            <b>Teller:</b> The keeper of the tally may look back. What does it say?""",
        ),
        *sidebar(
            "Asking, Not Telling",
            """
            When something notices the boat, say only what the keeper on duty could know, and then ask that
            player a question. Which of you has seen it before? Who taught you to be afraid of it? The answers
            are better than what you had prepared.""",
        ),
    ]
