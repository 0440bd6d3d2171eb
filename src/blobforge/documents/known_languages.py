"""The names of languages that tesseract has data for: by them a typo is told from what is only not installed."""

from collections.abc import Sequence
from difflib import get_close_matches

from blobforge.domain.errors import InvalidOptions

_LISTED = """
afr amh ara asm aze aze_cyrl bel ben bod bos bre bul cat ceb ces chi_sim chi_sim_vert chi_tra chi_tra_vert chr cos cym
dan dan_frak deu deu_frak deu_latf div dzo ell eng enm epo est eus fao fas fil fin fra frk frm fry gla gle glg grc guj
hat heb hin hrv hun hye iku ind isl ita ita_old jav jpn jpn_vert kan kat kat_old kaz khm kir kmr kor kor_vert lao lat
lav lit ltz mal mar mkd mlt mon mri msa mya nep nld nor oci ori pan pol por pus que ron rus san sin slk slk_frak slv
snd spa spa_old sqi srp srp_latn sun swa swe syr tam tat tel tgk tha tir ton tur uig ukr urd uzb uzb_cyrl vie yid yor
"""
NAMES = frozenset(_LISTED.split())
_SCRIPTS = "script/"


def require_known(wanted: Sequence[str], there: Sequence[str] | None, *, option: str = "ocr_languages") -> None:
    """`there` is None without tesseract; `option` is what the person set.

    Raises InvalidOptions for a language that is neither there nor one that could be: it is misspelt.
    """
    here = there or ()
    for name in wanted:
        if name in here or name in NAMES or name.startswith(_SCRIPTS):
            continue
        near = get_close_matches(name, [*here, *sorted(NAMES)], n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        has = " (and is not installed here)" if there is None else f"; it has {', '.join(here) or 'none'} here"
        raise InvalidOptions(f"{option}: tesseract knows no language {name!r}{has}{hint}")
