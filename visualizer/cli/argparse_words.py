"""argparse's own words (usage, options, what is wrong with an argument) in the current language.

argparse looks its messages up with gettext when it shows them, in a catalogue that Python does not ship. Here they are
looked up in ours. The list is what Babel finds in argparse.py, of all Python versions that phasescope runs on.
"""

from __future__ import annotations

import argparse
import gettext

from visualizer.language import mark, tr

MESSAGES = (
    mark("usage: "),
    mark("argument %(argument_name)s: %(message)s"),
    mark("%(heading)s:"),
    mark("unknown parser %(parser_name)r (choices: %(choices)s)"),
    mark("can't open '%(filename)s': %(error)s"),
    mark("positional arguments"),
    mark("options"),
    mark("show this help message and exit"),
    mark("unrecognized arguments: %s"),
    mark("not allowed with argument %s"),
    mark("ignored explicit argument %r"),
    mark("the following arguments are required: %s"),
    mark("one of the arguments %s is required"),
    mark("expected one argument"),
    mark("expected at most one argument"),
    mark("expected at least one argument"),
    mark("expected %s argument"),
    mark("expected %s arguments"),
    mark("ambiguous option: %(option)s could match %(matches)s"),
    mark("unexpected option string: %s"),
    mark("invalid %(type)s value: %(value)r"),
    mark("invalid choice: %(value)r (choose from %(choices)s)"),
    mark("%(prog)s: error: %(message)s\n"),
    mark("show program's version number and exit"),
    mark("subcommands"),
    mark(" (default: %(default)s)"),
    mark("%(prog)s: warning: %(message)s\n"),
    mark("option '%(option)s' is deprecated"),
    mark("argument '%(argument_name)s' is deprecated"),
    mark("command '%(parser_name)s' is deprecated"),
)


def translate_argparse() -> None:
    """Have argparse ask our catalogue from now on."""
    setattr(argparse, "_", tr)  # noqa: B010 - the name is argparse's own and no typed one
    setattr(argparse, "ngettext", _plural)  # noqa: B010


def _plural(one: str, many: str, n: int) -> str:
    """One of two messages; English decides by `n` as argparse expects, other languages have their own message."""
    return tr(gettext.NullTranslations().ngettext(one, many, n))
