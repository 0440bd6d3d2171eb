"""Which layers a viewer shows when it has opened a file, by the rules of ISO 32000-2, 8.11. Where PDFium, and so
Chrome, goes by other rules, what one of both shows is shown: nothing is to be lost.

What a layer recommends for paper, a zoom, a language or a user depends on who looks, and changes nothing here."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import pikepdf

Id = tuple[int, int]

_POLICIES: dict[str, Callable[[Iterable[bool]], bool]] = {
    "/AllOn": all,
    "/AnyOn": any,
    "/AnyOff": lambda states: not all(states),
    "/AllOff": lambda states: not any(states),
}
_VIEW = "/View"
_ALL_INTENTS = "/All"
_MOST_GROUPS = 1_000
_MOST_TERMS = 300
"""Of one membership; who names more is out to keep its reader busy."""


class Layers:
    """Of one document: `properties` is what its catalog says of them."""

    def __init__(self, properties: pikepdf.Dictionary) -> None:
        usual = properties.get("/D")
        self._off = _off(properties, usual if isinstance(usual, pikepdf.Dictionary) else pikepdf.Dictionary())

    def shows(self, membership: pikepdf.Object | None) -> bool:
        """`membership` is a layer, or says how it goes by several; what cannot be understood hides nothing."""
        if not isinstance(membership, pikepdf.Dictionary):
            return True
        if membership.get("/Type") != "/OCMD":
            return self._is_on(membership)
        expression = membership.get("/VE")
        if isinstance(expression, pikepdf.Array):
            try:
                return self._holds(expression, iter(range(_MOST_TERMS)))
            except ValueError:
                return True
        policy = _POLICIES.get(str(membership.get("/P")), any)
        groups = membership.get("/OCGs")
        if isinstance(groups, pikepdf.Dictionary):
            # For one layer, PDFium passes over the policy.
            return self._is_on(groups) or policy([self._is_on(groups)])
        states = [self._is_on(each) for each in islice(_dictionaries(groups), _MOST_GROUPS)]
        return not states or policy(states)

    def _is_on(self, group: pikepdf.Dictionary) -> bool:
        return group.objgen not in self._off

    def _holds(self, term: pikepdf.Object | None, left: Iterator[int]) -> bool:
        """Raises ValueError for what is no expression, or a very long one: an array may name itself."""
        if isinstance(term, pikepdf.Dictionary):
            return self._is_on(term)
        if not isinstance(term, pikepdf.Array) or next(left, None) is None:
            raise ValueError("neither a layer nor an expression")
        operator, *operands = islice(term, _MOST_GROUPS)
        states = [self._holds(each, left) for each in operands]
        match str(operator), len(states):
            case "/Not", 1:
                return not states[0]
            case "/And", _:
                return all(states)
            case "/Or", _:
                return any(states)
        raise ValueError("an expression without an operator")


def _off(properties: pikepdf.Dictionary, usual: pikepdf.Dictionary) -> frozenset[Id]:
    off = _ids(usual.get("/OFF"))
    if usual.get("/BaseState") == "/OFF":
        off |= _ids(properties.get("/OCGs")) - _ids(usual.get("/ON"))
    switched = frozenset(_switched(usual))
    wanted = _intents(usual)
    return frozenset(
        group.objgen
        for group in _dictionaries(properties.get("/OCGs"))
        # A layer that is there for another purpose than this configuration has no say.
        if _serves(group, wanted)
        and _is_off(group, is_listed=group.objgen in off, is_switched=group.objgen in switched)
    )


def _is_off(group: pikepdf.Dictionary, *, is_listed: bool, is_switched: bool) -> bool:
    usage = group.get("/Usage")
    view = usage.get(_VIEW) if isinstance(usage, pikepdf.Dictionary) else None
    match view.get("/ViewState") if isinstance(view, pikepdf.Dictionary) else None:
        case pikepdf.Name.ON:
            # For PDFium also where nothing says that the layer is switched by it.
            return False
        case pikepdf.Name.OFF if is_switched:
            return True
    return is_listed


def _switched(usual: pikepdf.Dictionary) -> Iterator[Id]:
    """The layers that are on or off as they recommend it themselves to whoever looks at the document."""
    for rule in _dictionaries(usual.get("/AS")):
        if rule.get("/Event") == _VIEW and _VIEW in map(str, _listed(rule.get("/Category"))):
            yield from _ids(rule.get("/OCGs"))


def _serves(group: pikepdf.Dictionary, wanted: frozenset[str]) -> bool:
    own = _intents(group)
    return _ALL_INTENTS in wanted | own or not wanted.isdisjoint(own)


def _intents(holder: pikepdf.Dictionary) -> frozenset[str]:
    named = holder.get("/Intent", pikepdf.Name.View)
    return frozenset(str(each) for each in (named if isinstance(named, pikepdf.Array) else [named]))


def _ids(named: pikepdf.Object | None) -> frozenset[Id]:
    return frozenset(group.objgen for group in _dictionaries(named))


def _dictionaries(named: pikepdf.Object | None) -> Iterator[pikepdf.Dictionary]:
    return (each for each in _listed(named) if isinstance(each, pikepdf.Dictionary))


def _listed(named: pikepdf.Object | None) -> Iterable[pikepdf.Object]:
    return named if isinstance(named, pikepdf.Array) else ()
