"""Forms on layers that are off: a viewer does not show them, and engines read them."""

from collections.abc import Callable, Iterable

import pikepdf

_POLICIES: dict[str, Callable[[Iterable[bool]], bool]] = {
    "/AllOn": all,
    "/AnyOn": any,
    "/AnyOff": lambda states: not all(states),
    "/AllOff": lambda states: not any(states),
}


def empty_hidden_forms(pdf: pikepdf.Pdf) -> bool:
    """Leaves nothing in those of the opened document; whether there were any. Raises what pikepdf does."""
    hidden = _layers_off(pdf.Root.get("/OCProperties"))
    if not hidden:
        return False
    found = [each for each in pdf.objects if _is_form(each) and not _is_shown(each.get("/OC"), hidden)]
    for form in found:
        form.write(b"")
    return bool(found)


def _layers_off(layers: pikepdf.Object | None) -> frozenset[tuple[int, int]]:
    if not isinstance(layers, pikepdf.Dictionary):
        return frozenset()
    usual = layers.get("/D")
    usual = usual if isinstance(usual, pikepdf.Dictionary) else pikepdf.Dictionary()
    off = {layer.objgen for layer in usual.get("/OFF") or ()}
    if usual.get("/BaseState") == "/OFF":
        on = {layer.objgen for layer in usual.get("/ON") or ()}
        off |= {layer.objgen for layer in layers.get("/OCGs") or ()} - on
    return frozenset(off)


def _is_form(thing: pikepdf.Object) -> bool:
    return isinstance(thing, pikepdf.Stream) and thing.get("/Subtype") == "/Form" and "/OC" in thing


def _is_shown(layer: pikepdf.Object | None, hidden: frozenset[tuple[int, int]]) -> bool:
    """A layer, or several with a rule how many of them must be on."""
    if not isinstance(layer, pikepdf.Dictionary):
        return True
    if layer.get("/Type") != "/OCMD":
        return layer.objgen not in hidden
    members = layer.get("/OCGs")
    layers = list(members) if isinstance(members, pikepdf.Array) else [members]
    states = [each.objgen not in hidden for each in layers if isinstance(each, pikepdf.Dictionary)]
    return not states or _POLICIES.get(str(layer.get("/P")), any)(states)
