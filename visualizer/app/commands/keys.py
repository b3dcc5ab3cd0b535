"""The keys in force: the command table's own, or those a person chose in the Keys dialog and the settings keep."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from visualizer.app.commands.command import Registry
from visualizer.app.commands.keymap import with_keys
from visualizer.app.commands.sheet import show_sheet
from visualizer.app.settings.settings import Settings
from visualizer.app.work.message_bar import MessageBar
from visualizer.language import tr


class Keys(QObject):
    """`commands` is the table with the keys in force; what shows keys asks for it anew each time.

    `changed` carries it when other keys are chosen.
    """

    changed = Signal(object)

    def __init__(self, table: Registry, settings: Settings, messages: MessageBar, window: QWidget) -> None:
        super().__init__(window)
        self._table, self._settings, self._window = table, settings, window
        try:
            self.commands = with_keys(table, settings.keys)
        except ValueError as error:
            # Commands that came with a newer phasescope may have the keys of old choices.
            self.commands = table
            messages.show_error(tr("The keys in the settings are not used: {reason}.", reason=error))

    def show(self) -> None:
        from visualizer.app.commands.keys_dialog import KeysDialog

        dialog = KeysDialog(self.commands, self._table, self._window)
        dialog.chosen.connect(self.use)
        show_sheet(dialog)

    def use(self, chosen: dict[str, tuple[str, ...]]) -> None:
        """Other keys than the table's own, by command id, from now on."""
        self._settings.keys = chosen
        self.commands = with_keys(self._table, chosen)
        self.changed.emit(self.commands)
