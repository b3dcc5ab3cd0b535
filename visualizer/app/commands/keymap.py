"""The keys a person chose instead of the table's own, checked so that no key means two commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtGui import QKeySequence

from visualizer.app.commands.command import Command, Registry


def with_keys(registry: Registry, chosen: Mapping[str, Sequence[str]]) -> Registry:
    """The registry with other keys, by command id; ids it does not know are passed over.

    Raises ValueError, which names both commands, where one key would mean two.
    """
    return Registry(
        [replace(command, keys=tuple(chosen[command.id])) if command.id in chosen else command for command in registry]
    )


def differences(registry: Registry, defaults: Registry) -> dict[str, tuple[str, ...]]:
    """The keys of `registry` that are not those of `defaults`, by command id."""
    return {command.id: command.keys for command in registry if command.keys != defaults[command.id].keys}


def owner(registry: Registry, key: str) -> Command | None:
    """The command that `key` runs, however either is spelled."""
    wanted = portable(key)
    return next((command for command in registry if any(portable(known) == wanted for known in command.keys)), None)


def portable(key: str) -> str:
    """The one spelling of a key that Qt writes."""
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
