"""The keys in force: the command table's own, or those a person chose in the Keys dialog and the settings keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from visualizer.app.commands.keymap import with_keys
from visualizer.app.commands.keys_dialog import KeysDialog
from visualizer.app.commands.table import COMMANDS
from visualizer.language import tr

if TYPE_CHECKING:
    from visualizer.app.window.main_window import MainWindow


class Keys:
    """`commands` is the registry with the keys in force; what shows keys asks for it anew each time."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        try:
            self.commands = with_keys(COMMANDS, window.settings.keys)
        except ValueError as error:
            # Commands that came with a newer phasescope may have the keys of old choices.
            self.commands = COMMANDS
            window.messages.show_error(tr("The keys in the settings are not used: {reason}.", reason=error))

    def show(self) -> None:
        dialog = KeysDialog(self.commands, COMMANDS, self._window)
        dialog.chosen.connect(self.use)
        self._window.show_sheet(dialog)

    def use(self, chosen: dict[str, tuple[str, ...]]) -> None:
        """Other keys than the table's own, by command id, from now on."""
        self._window.settings.keys = chosen
        self.commands = with_keys(COMMANDS, chosen)
        self._window.actions_by_id.use_keys(self.commands)
