"""Message catalogues: gettext's format and plural rules, read with Babel from the .po file itself.

There is no compiled file to keep in step. English needs no catalogue, so it costs no import and no file.
"""

from __future__ import annotations

import gettext
import io
import locale
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from visualizer.resources import resource_dir

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

LANGUAGES: Mapping[str, str] = {"en": "English", "zh": "简体中文"}
"""Languages there are, by the code `--lang` takes, each named in itself."""

ENVIRONMENT = "PHASESCOPE_LANG"
"""The variable that chooses a language whatever the locale; a program started by ours is told by it."""

_ENGLISH = gettext.NullTranslations()
_loaded: dict[str, gettext.NullTranslations] = {"en": _ENGLISH}
_current = "en"
_shown: dict[str, Mapping[str, str]] = {}


def tr(message: str, **values: object) -> str:
    """`message` in the current language, its {fields} filled from `values`."""
    text = _loaded[_current].gettext(message)
    return text.format(**values) if values else text


def trn(one: str, many: str, n: int, **values: object) -> str:
    """`one` or `many` in the current language by its plural rule for `n`; {n} and other {fields} are filled."""
    return _loaded[_current].ngettext(one, many, n).format(n=n, **values)


def mark(message: str) -> str:
    """Note a message for translation where it is defined; `tr` is called where it is shown."""
    return message


def current() -> str:
    """The code of the current language."""
    return _current


def messages_shown(language: str) -> Mapping[str, str]:
    """Which message a text in `language` is: text -> message, of messages without fields."""
    if language not in _shown:
        texts = {one.id: str(one.string) for one in _read("zh") if isinstance(one.id, str) and one.string}
        messages = [one for one in texts if one and "{" not in one]
        _shown["en"] = {message: message for message in messages}
        # Where two messages say the same in Chinese, the one that stands alone (a title) is the likelier.
        titles_last = sorted(messages, key=lambda message: message[:1].isupper())
        _shown["zh"] = {texts[message]: message for message in titles_last}
    return _shown[language]


def shown_as(message: str, language: str) -> str:
    """`message` in a language that was used before, whatever the current one is."""
    return _loaded[language].gettext(message)


def use(language: str) -> None:
    """Speak `language` from now on. ValueError if it is none of LANGUAGES."""
    global _current
    if language not in LANGUAGES:
        raise ValueError(f"no language {language!r}: choose one of {', '.join(LANGUAGES)}")
    if language not in _loaded:
        _loaded[language] = _load(language)
    _current = language


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Speak `language` for a while: for documents in several languages. For the thread that shows texts only."""
    before = current()
    use(language)
    try:
        yield
    finally:
        use(before)


def preferred(environment: Mapping[str, str] = os.environ) -> str:
    """The language that PHASESCOPE_LANG or else the locale asks for; English if it is none of LANGUAGES."""
    if environment.get(ENVIRONMENT) in LANGUAGES:
        return environment[ENVIRONMENT]
    wanted = next((environment[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if environment.get(name)), "")
    code = (locale.normalize(wanted).split("_")[0] if wanted else "").lower()
    return code if code in LANGUAGES else "en"


def translations(language: str) -> Catalog:
    """The catalogue of a language as its file has it."""
    from babel.messages.pofile import read_po

    with (resource_dir("assets") / "locale" / f"{language}.po").open("rb") as file:
        return read_po(file, locale=language)


_read = cache(translations)
"""As none may change it: a catalogue takes a tenth of a second to read."""


def _load(language: str) -> gettext.NullTranslations:
    from babel.messages.mofile import write_mo

    compiled = io.BytesIO()
    write_mo(compiled, _read(language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)
