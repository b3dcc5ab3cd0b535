"""The Keys dialog: every command with its keys, and a field that takes the next key pressed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from visualizer.app.commands.command import Registry
from visualizer.app.commands.fuzzy import fits
from visualizer.app.commands.keymap import differences, owner, portable, with_keys
from visualizer.app.work.standard_buttons import in_words
from visualizer.language import tr
from visualizer.views.look.plain_text_widget import PlainLabel, tip

_ID = Qt.ItemDataRole.UserRole
_TITLE, _KEYS = 0, 1


class KeysDialog(QDialog):
    """`chosen` carries the keys that differ from the defaults, by command id, when the dialog is accepted."""

    chosen = Signal(dict)

    def __init__(self, registry: Registry, defaults: Registry, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys"))
        self._defaults = defaults
        self.registry = registry
        self.filter = QLineEdit(placeholderText=tr("a few letters of a command"), accessibleName=tr("Find a command"))
        self.list = QTreeWidget(accessibleName=tr("Commands and their keys"))
        self.list.setHeaderLabels([tr("command"), tr("keys")])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(_TITLE, QHeaderView.ResizeMode.Stretch)
        self.list.header().setSectionResizeMode(_KEYS, QHeaderView.ResizeMode.ResizeToContents)
        self.key = QKeySequenceEdit(accessibleName=tr("New key"))
        self.key.setMaximumSequenceLength(1)
        self.key.setClearButtonEnabled(True)
        self.add_button = QPushButton(tr("Add"))
        self.replace_button = QPushButton(tr("Replace"))
        self.clear_button = QPushButton(tr("No key"))
        self.default_button = QPushButton(tr("Default"))
        self.problem = PlainLabel(objectName="parameterProblem", accessibleDescription=tr("Problem with the key"))
        self.problem.setWordWrap(True)
        standard = QDialogButtonBox.StandardButton
        self.buttons = in_words(QDialogButtonBox(standard.Ok | standard.Cancel | standard.RestoreDefaults))
        row = QHBoxLayout()
        row.addWidget(self.key, 1)
        for button in (self.add_button, self.replace_button, self.clear_button, self.default_button):
            button.setAutoDefault(False)
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.addWidget(self.filter)
        layout.addWidget(self.list, 1)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        self.resize(self.fontMetrics().averageCharWidth() * 90, self.fontMetrics().height() * 34)
        self.filter.textChanged.connect(self._filter)
        self.list.currentItemChanged.connect(lambda: self._say(""))
        self.key.keySequenceChanged.connect(lambda: self._check())
        self.add_button.clicked.connect(lambda: self._take_key(keep=True))
        self.replace_button.clicked.connect(lambda: self._take_key(keep=False))
        self.clear_button.clicked.connect(lambda: self._set(()))
        self.default_button.clicked.connect(lambda: self._set(self._defaults[self.current].keys))
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        self.buttons.button(QDialogButtonBox.StandardButton.RestoreDefaults).clicked.connect(self._restore_all)
        for command in registry:
            item = QTreeWidgetItem([f"{tr(command.group)}: {tr(command.title)}", ""])
            item.setData(_TITLE, _ID, command.id)
            item.setToolTip(_TITLE, tip(tr(command.help)))
            self.list.addTopLevelItem(item)
        self.list.setCurrentItem(self.list.topLevelItem(0))
        self._show_keys()

    @property
    def current(self) -> str:
        """The id of the command that the buttons change."""
        return self.list.currentItem().data(_TITLE, _ID)

    def select(self, command_id: str) -> None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            if item.data(_TITLE, _ID) == command_id:
                self.list.setCurrentItem(item)

    def _check(self) -> str:
        """The key in the field, "" if there is none or it is another command's, which is said."""
        key = self.key.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        taken = self._taken(key) if key else ""
        self._say(taken)
        return "" if taken else key

    def _taken(self, key: str) -> str:
        """Which other command has the key; "" if none has."""
        other = owner(self.registry, key)
        if other is None or other.id == self.current:
            return ""
        return tr(
            "{key} is the key of {group}: {title}. Give that another key first.",
            key=key,
            group=tr(other.group),
            title=tr(other.title),
        )

    def _take_key(self, *, keep: bool) -> None:
        key = self._check()
        if not key:
            return
        old = self.registry[self.current].keys if keep else ()
        self._set((*(known for known in old if portable(known) != key), key))
        self.key.clear()

    def _set(self, keys: tuple[str, ...]) -> None:
        """Give the current command these keys, unless one of them is taken by now."""
        for key in keys:
            if taken := self._taken(key):
                self._say(taken)
                return
        self.registry = with_keys(self.registry, {self.current: keys})
        self._say("")
        self._show_keys()

    def _restore_all(self) -> None:
        self.registry = self._defaults
        self._say("")
        self._show_keys()

    def _accept(self) -> None:
        self.chosen.emit(differences(self.registry, self._defaults))
        self.accept()

    def _filter(self, text: str) -> None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            command = self.registry[item.data(_TITLE, _ID)]
            item.setHidden(not fits(text, tr(command.group), tr(command.title), tr(command.help)))

    def _show_keys(self) -> None:
        for row in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(row)
            command = self.registry[item.data(_TITLE, _ID)]
            item.setText(_KEYS, "   ".join(command.keys))
            font = item.font(_KEYS)
            font.setBold(command.keys != self._defaults[command.id].keys)
            item.setFont(_KEYS, font)

    def _say(self, sentence: str) -> None:
        self.problem.setText(sentence)
