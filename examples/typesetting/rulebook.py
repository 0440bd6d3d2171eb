"""The rulebook: one chapter of an invented game, set in two columns on tinted paper."""

from pathlib import Path

from reportlab.lib.pagesizes import letter
from reportlab.platypus import FrameBreak, HRFlowable, NextPageTemplate, PageBreak, PageTemplate, Paragraph, Spacer

from examples.typesetting.press import Flowable, frame, open_document, small_caps
from examples.typesetting.rulebook_style import (
    BOTTOM,
    CHAPTER,
    CHAPTER_NUMBER,
    COLUMN_HEIGHT,
    COLUMN_WIDTH,
    EPIGRAPH,
    GOLD,
    GUTTER,
    MARGIN,
    PAGE_WIDTH,
    body,
    draw_paper,
    drop_cap,
    heading,
    points,
    sidebar,
    stat_block,
    steps,
    striped_table,
    subheading,
)

OPENING_HEIGHT = 118
WARES_HEIGHT = 196
RIGHT_COLUMN = MARGIN + COLUMN_WIDTH + GUTTER
FULL_WIDTH = PAGE_WIDTH - 2 * MARGIN


def write(path: Path) -> None:
    document = open_document(
        path,
        title="Wick & Weir: Travelling the Long Water",
        subject="A chapter of an invented role-playing game, written for BlobForge",
        page_size=letter,
    )
    document.addPageTemplates(_page_templates())
    document.build([*_opening(), *_setting_out(), *_locks(), *_weather(), *_creatures(), *_wares()])


def _page_templates() -> list[Flowable]:
    def columns(*, bottom: float, height: float) -> list[Flowable]:
        return [
            frame("left", left=MARGIN, bottom=bottom, width=COLUMN_WIDTH, height=height),
            frame("right", left=RIGHT_COLUMN, bottom=bottom, width=COLUMN_WIDTH, height=height),
        ]

    title = frame(
        "title",
        left=MARGIN,
        bottom=BOTTOM + COLUMN_HEIGHT - OPENING_HEIGHT + 12,
        width=FULL_WIDTH,
        height=OPENING_HEIGHT,
    )
    wares = frame("wares", left=MARGIN, bottom=BOTTOM, width=FULL_WIDTH, height=WARES_HEIGHT)
    opening = [title, *columns(bottom=BOTTOM, height=COLUMN_HEIGHT - OPENING_HEIGHT)]
    closing = [*columns(bottom=BOTTOM + WARES_HEIGHT, height=COLUMN_HEIGHT - WARES_HEIGHT), wares]
    return [
        PageTemplate("opening", frames=opening, onPage=draw_paper),
        PageTemplate("inside", frames=columns(bottom=BOTTOM, height=COLUMN_HEIGHT), onPage=draw_paper),
        PageTemplate("closing", frames=closing, onPage=draw_paper),
    ]


def _opening() -> list[Flowable]:
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


def _setting_out() -> list[Flowable]:
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


def _locks() -> list[Flowable]:
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


def _weather() -> list[Flowable]:
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


def _creatures() -> list[Flowable]:
    return [
        *heading("What Lives in the Reeds"),
        *body("""
            Most of what notices a boat is only curious. The creatures of the long water were here before the
            flood and have done rather well from it; they are not monsters, and few of them will fight for
            longer than it takes to find out what you are. Give each of them a want before you give it a
            rating. A heron that wants its nest left alone makes a better evening than one that wants blood."""),
        *stat_block(
            "Mire Heron",
            "A wader as tall as a mast; old, proud and short of sight",
            ratings=[("Brawn", "4"), ("Nerve", "3"), ("Craft", "1"), ("Glim", "0"), ("Breath", "9")],
            traits=[
                ("Wants", "Stillness. It will stand beside a moored boat all night if nobody sings."),
                (
                    "Stoops",
                    "It strikes once, from above, at whatever shone last. The keeper at the lamp tests Nerve "
                    "or loses the lamp over the side.",
                ),
                (
                    "Long memory",
                    "A crew that has fed a heron is known to all herons on that pound. They need not ask the "
                    "third question there again.",
                ),
                ("Leaves", "At half its Breath, or when its reflection is broken."),
            ],
        ),
        *stat_block(
            "Sluice Wife",
            "A spirit of kept locks, seen from behind and always busy",
            ratings=[("Brawn", "2"), ("Nerve", "5"), ("Craft", "4"), ("Glim", "3"), ("Breath", "6")],
            traits=[
                ("Wants", "The gates greased, the log signed, and no mud on the balance beam."),
                (
                    "Shuts the way",
                    "No gate within sight of her opens for a crew that has left one open behind it. Only going "
                    "back to close it will do.",
                ),
                (
                    "Fair dealing",
                    "She will trade one true answer for one true answer. A lie costs the liar two Breath, "
                    "whatever they know.",
                ),
                ("Leaves", "When the work is finished. It is never finished before dawn."),
            ],
        ),
        *stat_block(
            "Candle Shoal",
            "Some hundreds of small pale fish that have learned to shine",
            ratings=[("Brawn", "1"), ("Nerve", "1"), ("Craft", "2"), ("Glim", "6"), ("Breath", "4")],
            traits=[
                ("Wants", "To be followed. It does not know where it is going."),
                (
                    "False lights",
                    "While the shoal is near, no keeper can tell lamps from fish. Tests of steering are made "
                    "with one die less, unless the lamp is put out.",
                ),
                ("Gift", "A wick dipped where the shoal has passed burns for two pounds, and burns green."),
                ("Leaves", "At dawn, or when somebody aboard sings to it badly."),
            ],
        ),
        *striped_table(
            "Table 3--2: What Notices You",
            [
                ("1d6", "By day", "By night"),
                ("1", "A child on a roof, waving", "The same child, not waving"),
                ("2", "Otters, with an argument", "A candle shoal"),
                ("3", "A toll boat, behind in its sums", "A packet, running without lamps"),
                ("4", "A mire heron, at a distance", "A mire heron, at no distance"),
                ("5", "Washing on a line, and no house", "Someone who knows your promise"),
                ("6", "Another crew, with your boat's name", "A sluice wife, with her sleeves rolled"),
            ],
            widths=[30, (COLUMN_WIDTH - 30) / 2, (COLUMN_WIDTH - 30) / 2],
            centred=frozenset({0}),
        ),
        subheading("When It Comes to Blows"),
        *body("""
            Fighting on a boat is mostly a matter of who stays on it. Each side says what it wants; then every
            keeper who takes part tests Brawn or Nerve against the height of the water, not against the enemy.
            Each catch takes one Breath from the other side, or puts one of them overboard, as the player likes.

            A creature answers with its own dice, rolled by the Teller in the open. A keeper at no Breath goes
            under. They are not dead; they are <i>in the water</i>, and the keeper at the line has until the
            end of the pound to fetch them out. What they saw down there is for the tally."""),
        subheading("Making Peace"),
        *body("""
            Any player may offer peace before the dice are rolled, by naming what the other side wants and
            giving up something to provide it. If the player has guessed the want, the fight is over. If not, the
            offer still stands as a kindness, and the creature hesitates: its side rolls one die less."""),
        subheading("In the Water"),
        *body("""
            A keeper who goes under sees the kingdom as it was. Streets, orchards, a fair with all its flags out:
            it is lit from nowhere and it is quite silent. The Teller describes one thing and asks what the
            keeper does about it. There are no tests down there and no dangers, and that is the danger.

            When the keeper is fetched out, the player chooses. Either the keeper forgets, and comes up with one
            Breath and a cough; or the keeper remembers, comes up with none, and may write one word of what
            was seen in the margin of the tally. Nine such words, in any order, are said to make a way through
            the last lock of all. No crew has yet agreed on the ninth."""),
        NextPageTemplate("closing"),
        PageBreak(),
    ]


def _wares() -> list[Flowable]:
    rows = [
        ("Ware", "Price", "Bulk", "Use on the water"),
        ("Tallow wick, a dozen", "3 bits", "1", "Burns for one pound each. Smells of kitchens; herons dislike it."),
        ("Beeswax wick, a dozen", "9 bits", "1", "Lowers blind water by two, not one. Never sold on a feast day."),
        ("Quant pole, ash", "5 bits", "3", "One die more for any test of steering in less than a fathom."),
        ("Cork jacket", "12 bits", "2", "Whoever wears it is fetched out at the end of the pound without a test."),
        ("Lock key, borrowed", "a favour", "1", "Opens an unkept lock in a quarter of the time. Must be returned."),
        ("Ship's cat", "not for sale", "1", "Comes aboard or does not. Tests against rats are always clean."),
        ("Tally book, bound", "7 bits", "1", "Two hundred days. The crew may reread one line a day and gain a die."),
        ("Bell, small, bronze", "20 bits", "2", "Answers the drowned bell. Nobody agrees on whether it should."),
    ]
    return [
        *heading("Wicks and Wares"),
        *body("""
            Wicks are the true coin of the long water. Every chandler counts them in dozens, every toll is
            reckoned in them, and a crew that has burned its last one had better be within sight of a quay. A
            boat carries <b>bulk</b> equal to four times the number of its crew; what does not fit is lashed on
            deck, where the water can ask for it.

            Prices are for a market town in an ordinary year. Above the ninth lock they double. In a year of
            spate they double again, and the chandlers are sorry about it, and sell you the rope as well."""),
        subheading("Buying, Owing, Lending"),
        *body("""
            Keepers seldom pay in full. A player may take any ware on trust by writing a debt into the tally,
            with the name of the chandler and a day. Debts that fall due while the crew is elsewhere are
            told to the next lock, and the next, at the speed of gossip: three pounds a day, and four if
            the sum is embarrassing."""),
        subheading("Wicks in the Dark"),
        *body("""
            A wick may be burned at any moment, even after the dice are rolled, and even by a keeper who does not
            stand lamp, if they can reach it. Say what the light shows; then lower the height of the water by
            one, and count the catches again. A wick that has been burned is gone. Nobody has ever been sorry
            for burning one, and everybody has been sorry for burning the last."""),
        subheading("Giving Light Away"),
        *body("""
            Whoever meets a dark boat on the water may hand over a lit wick. It costs what it costs. The other
            crew is bound to answer one question truly, now or in years to come, and the tally of each boat
            carries the other's name from that day."""),
        FrameBreak(),
        *heading("The End of a Passage"),
        *body("""
            A passage ends when the last lock closes behind the boat. Do these things in order, and do not
            hurry them."""),
        *steps(
            "Read the tally aloud, from the first line to the last.",
            "Let each player read out the promise they made, and say whether it was kept.",
            "Give one point of Glim for each promise that held.",
            "Unload the cargo. If it is worth less than it was, let the players say why.",
            """Ask each keeper what they will miss about the water. Those who answer recover all their Breath;
            those who will not are left with what they have, and a better story.""",
        ),
        subheading("Six Cargoes with a Want"),
        *points(
            "A piano, in tune, for a house that has been under water since the spring.",
            "Forty hives of bees, awake.",
            "A judge, travelling as a miller, and a miller, travelling as a judge.",
            "Ice from the ninth lock, which must arrive as ice.",
            "A door. It may not be opened, and it is knocked on from within at dusk.",
            "Nothing at all, insured for a great deal of money.",
        ),
        subheading("Between Passages"),
        *body("""
            A crew ashore has a week to spend before the water calls it back. Each keeper may do one thing
            with it: mend the boat, learn a name, repay a debt, or visit somebody who believed them lost. Write
            the thing into the tally under the last line of the passage, and leave the next page empty."""),
        FrameBreak(),
        *striped_table(
            "Table 3--3: Chandlers' Wares", rows, widths=[118, 68, 40, FULL_WIDTH - 226], centred=frozenset({2})
        ),
    ]
