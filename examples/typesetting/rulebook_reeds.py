"""The rulebook's second half: what lives in the reeds, what is sold on the quay, and how a passage ends."""

from examples.typesetting.press import Flowable
from examples.typesetting.rulebook_style import (
    COLUMN_WIDTH,
    FULL_WIDTH,
    body,
    heading,
    points,
    stat_block,
    steps,
    striped_table,
    subheading,
)
from reportlab.platypus import FrameBreak, NextPageTemplate, PageBreak


def creatures() -> list[Flowable]:
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
                    """It strikes once, from above, at whatever shone last. The keeper at the lamp tests Nerve
                    or loses the lamp over the side.""",
                ),
                (
                    "Long memory",
                    """A crew that has fed a heron is known to all herons on that pound. They need not ask the
                    third question there again.""",
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
                    """No gate within sight of her opens for a crew that has left one open behind it. Only going
                    back to close it will do.""",
                ),
                (
                    "Fair dealing",
                    """She will trade one true answer for one true answer. A lie costs the liar two Breath,
                    whatever they know.""",
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
                    """While the shoal is near, no keeper can tell lamps from fish. Tests of steering are made
                    with one die less, unless the lamp is put out.""",
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


def wares() -> list[Flowable]:
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
