"""What stands before and after the handbook's chapters."""

from collections.abc import Mapping

TITLE = "The Keeper's Handbook"
SUBTITLE = "On the care of small harbours"

COPYRIGHT = """
    Written for the BlobForge project as an example of a long document. The harbours, the people and the accidents in it
    are invented, and the advice is no substitute for that of somebody who has a harbour.

    Licensed under the Apache License, Version 2.0.
"""

PREFACE = """
    This handbook began as a drawer. Whoever left the service of the Trust was asked to write down what the next
    keeper would otherwise have to find out alone, and the sheets went into the second drawer of the desk at
    Skerrow, where they were added to for half a century and read by almost nobody. When the desk was sold we had
    to decide what to do with the drawer.

    We have put the sheets in order, left out what concerned persons still living, and settled on one name for each
    thing. The glossary at the end gives the names. Where two keepers contradicted each other, we asked a third.
    Every chapter follows the same plan, so that a reader in a hurry can find the same matter in the same place:
    what the thing is for, what its parts are, what to look for, how the work is done, what each season asks, what
    has gone wrong, and how to teach it.

    The chapters may be read in any order. New hands are usually given the one on ropes first, since they will be
    handed a rope within the hour in any case, and the one on the log last, since nobody believes it before the
    first winter.

    Nothing here is meant to be obeyed without thought. Tides, stone and people differ from one harbour to the
    next, and a rule that was paid for at Threll may be worth nothing at Osmer Quay. What does not differ is the
    habit of going to look. If the book persuades one keeper to put on a coat and walk to the end of the mole, on
    an evening when there was no particular reason to do so, it has done what it was printed for.

    We thank all those who wrote on both sides of the paper.
"""

GLOSSARY: Mapping[str, str] = {
    "arming": "tallow pressed into the hollow foot of a lead, to bring up a little of the bottom.",
    "bar": "the shallow place across the mouth of a harbour, where the river drops what it has carried.",
    "bench mark": "a cut or a bolt in sound masonry, from which all levels are measured.",
    "bitter end": "the end of a rope that stays on board.",
    "boom": "a floating barrier, here against ice; elsewhere against oil, logs or visitors.",
    "coping": "the uppermost course of a wall, on which people sit.",
    "cradle": "the carriage in which a boat is hauled up the slip.",
    "ebb": "the falling tide, and the current that goes with it.",
    "fairlead": "a fitting that leads a rope round a corner without wearing it, in theory.",
    "fender": "whatever is put between a boat and what she would otherwise hit.",
    "fid": "a pointed tool of hard wood for opening the strands of a rope.",
    "finger": "a narrow pontoon at right angles to the main one, between two berths.",
    "ground chain": "the heavy chain along the bottom to which the risers of several moorings are shackled.",
    "halyard": "the line with which something is hoisted.",
    "heart strand": "the strand in the middle of a four-stranded rope, which is the first to rot.",
    "jib": "the arm of a crane.",
    "keel block": "the timber on which a boat's keel rests when she is ashore.",
    "lay": "the direction and tightness of the twist of a rope.",
    "leading lights": "two lights that stand one above the other when seen from the safe course.",
    "limit switch": "the switch that stops a crane before the driver has to.",
    "mole": "a massive breakwater with a road on it.",
    "neaps": "the smallest tides, which come after the half moons.",
    "pawl": "the tooth that keeps a winch from running back.",
    "perch": "a pole set in the ground to mark the edge of a channel.",
    "pontoon": "a floating platform for berths.",
    "quay": "a wall at which boats lie.",
    "riser": "the chain from the ground chain up to the buoy.",
    "scour": "the hollow that a current digs beside anything that stands in its way.",
    "sector light": "a light that shows different colours in different directions.",
    "seizing": "several turns of wire or twine that hold two things together.",
    "sinker": "the weight at the lower end of a mooring.",
    "slack water": "the short time at the turn of the tide when nothing moves.",
    "spoil": "what a dredger has dug up and somebody must find a place for.",
    "springs": "the largest tides, which come after the new and the full moon.",
    "stile": "one of the two uprights of a ladder.",
    "stilling well": "the pipe in which the float of a tide gauge is sheltered from the waves.",
    "storm cone": "a black cone hoisted as a warning of a gale; its point shows the quarter.",
    "strop": "a loop of rope or webbing for lifting with.",
    "swivel": "a link that turns, so that the chain need not.",
    "tag line": "a light rope that keeps a hanging load from turning.",
    "toe": "the foot of a wall on the water side.",
    "top mark": "the shape on top of a buoy that tells its meaning when the colour cannot be seen.",
    "trot": "a row of moorings on one ground chain.",
    "warp": "a heavy rope for moving or mooring a vessel.",
    "weep hole": "a hole that lets out the water from behind a wall.",
    "whipping": "twine bound around a rope's end to keep it from opening.",
}
