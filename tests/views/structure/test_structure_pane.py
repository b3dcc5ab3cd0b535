"""The structure pane: what it lists, what it offers for a selection, and what it asks for."""

from __future__ import annotations

from typing import Any

import pytest
from pane_testing import hand_history, requested
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QTreeWidgetItem
from pytestqt.qtbot import QtBot
from two_ring_traces import two_rings

from visualizer.playback.focus import Focus
from visualizer.replay.history import History
from visualizer.structure.find import structure_of
from visualizer.structure.forget import forget
from visualizer.views.look.pane import Pane
from visualizer.views.look.theme import load_theme
from visualizer.views.structure.structure_model import Choice, Node, choices, entry_sentence, nodes
from visualizer.views.structure.structure_widget import StructureWidget

STRANGER = forget(two_rings(8, ctas=2))


def history(*entries: dict[str, Any]) -> History:
    return History(STRANGER, structure_of(STRANGER, entries))


def outline(found: tuple[Node, ...]) -> list[tuple[str, str, str, list[str]]]:
    return [(node.name, node.detail, node.sure, [f"{c.name} {c.detail}" for c in node.children]) for node in found]


def test_golden_list() -> None:
    unknown = {"barriers": ["0x18", "0x38", "0x40"], "kind": "unknown"}
    turns = {"barriers": ["0x20", "0x48"], "kind": "order"}
    assert outline(nodes(history({"ring": "ring0", "name": "k"}, unknown, turns), 1)) == [
        (
            "k",
            "3 stages",
            "95%",
            ["0x0 full[0]", "0x8 full[1]", "0x10 full[2]", "0x28 empty[0]", "0x30 empty[1]"],
        ),
        ("taking turns", "2", "", ["0x20 order", "0x48 order"]),
        ("not known what they are for", "3", "", ["0x18 not known", "0x38 not known", "0x40 not known"]),
        ("agents of this CTA", "3", "", ["producer producer", "consumer0 consumer", "consumer1 consumer"]),
    ]


def test_a_ring_that_was_told_says_so() -> None:
    (ring, agents) = nodes(hand_history(), 0)
    assert (ring.name, ring.sure, ring.help) == ("(no name)", "", "it was told")
    assert [child.name for child in agents.children] == ["producer", "consumer.w1", "consumer.w2"]


def last_event(cta: int) -> int:
    return int((STRANGER.agent_cta[STRANGER.events["agent"]] == cta).nonzero()[0][-1])


def of(found: History, *names: str) -> list[Node]:
    """The lines of these names, in CTA 0."""
    lines = [line for node in nodes(found, 0) for line in (node, *node.children)]
    return [next(line for line in lines if line.name == name) for name in names]


def offered(found: History, *names: str) -> list[Choice]:
    return choices(found, of(found, *names))


def test_each_choice_does_what_it_says() -> None:
    """Every entry that is offered can be followed, for whatever is selected."""
    plain = history()
    selections = [
        ("ring0", "ring1"),
        ("ring0",),
        ("0x10",),
        ("0x0", "0x18"),
        ("producer", "consumer1"),
        ("0x0", "0x8", "0x10"),
    ]
    for names in selections:
        found = offered(plain, *names)
        assert found, names
        for choice in found:
            assert not structure_of(STRANGER, [choice.entry]).problems, (names, choice)


@pytest.mark.parametrize(
    ("names", "titles"),
    [
        (("ring0", "ring1"), ["Join, one ring's stages after the other's"]),
        (("ring0",), ["Exchange full and empty", "Not known what they are for"]),
        (
            ("0x10",),
            [
                "Split the ring before stage 2",
                "Full barriers of a new ring, in this order",
                "Not known what they are for",
            ],
        ),
        (("0x0",), ["Full barriers of a new ring, in this order", "Not known what they are for"]),
        (
            ("0x0", "0x8"),
            [
                "Full barriers of a new ring, in this order",
                "Empty barriers of ring ring1, in this order",
                "They take turns, in this order",
                "Not known what they are for",
            ],
        ),
        (("producer",), [f"Role: {role}" for role in ("producer", "consumer", "mma", "epilogue", "other")]),
        (("agents of this CTA",), []),
        (("producer", "0x0"), []),
        ((), []),
    ],
)
def test_what_is_offered(names: tuple[str, ...], titles: list[str]) -> None:
    assert [choice.title for choice in offered(history(), *names)] == titles


def test_rings_of_as_many_stages_can_be_joined_stage_by_stage() -> None:
    alike = history({"barriers": ["0x10", "0x38"], "kind": "unknown"})
    titles = [choice.title for choice in offered(alike, "ring0", "ring1")]
    assert "Join stage by stage: each stage has the barriers of all" in titles


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"ring": "ring0", "name": "k"}, "ring ring0 is called k"),
        ({"ring": "a", "full": ["0x0", ["0x8", "0x10"]]}, "ring a: full 0x0, 0x8+0x10; none is empty"),
        ({"ring": "a", "full": ["0x0"], "empty": ["0x8"]}, "ring a: full 0x0; empty 0x8"),
        ({"barriers": ["0x0", "0x8"], "kind": "order"}, "0x0, 0x8 take turns"),
        ({"barriers": ["0x0"], "kind": "unknown"}, "0x0: not known what they are for"),
        ({"agents": ["w1"], "role": "mma"}, "w1: mma"),
        ({"ring": "", "name": "kv"}, "ring (no name) is called kv"),
        (3, "3"),
        ({"agents": 3}, "{'agents': 3}"),
        ({"agents": 3, "role": "mma"}, "3: mma"),
    ],
)
def test_entries_in_words(entry: object, sentence: str) -> None:
    assert entry_sentence(entry) == sentence


@pytest.fixture
def pane(qtbot: QtBot) -> StructureWidget:
    widget = StructureWidget()
    qtbot.addWidget(widget)
    widget.resize(420, 480)
    widget.set_theme(load_theme("light"))
    widget.set_history(history())
    widget.set_focus(Focus(last_event(0), None))
    widget.show()
    return widget


def item(pane: StructureWidget, name: str) -> QTreeWidgetItem:
    (found,) = pane.tree.findItems(name, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    found.parent() and found.parent().setExpanded(True)
    return found


def asked(pane: StructureWidget) -> list[Any]:
    entries: list[Any] = []
    pane.entry_added.connect(entries.append)
    return entries


def test_is_a_pane(pane: StructureWidget) -> None:
    assert isinstance(pane, Pane)


@pytest.mark.parametrize(("text", "entries"), [("v", [{"ring": "ring1", "name": "v"}]), (" ", []), ("ring1", [])])
def test_f2_names_a_ring_which_stays_as_it_is_until_it_is_so(
    qtbot: QtBot, pane: StructureWidget, text: str, entries: list[dict[str, str]]
) -> None:
    wanted = asked(pane)
    pane.tree.setCurrentItem(item(pane, "ring1"))
    qtbot.keyClick(pane.tree, Qt.Key.Key_F2)
    editor = pane.tree.findChild(QLineEdit)
    editor.setText(text)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: pane.tree.findChild(QLineEdit) is None)
    assert wanted == entries
    assert item(pane, "ring1") is not None


def test_the_button_names_a_ring_too_and_nothing_else(qtbot: QtBot, pane: StructureWidget) -> None:
    assert not pane.rename_button.isEnabled()
    pane.tree.setCurrentItem(item(pane, "0x0"))
    assert not pane.rename_button.isEnabled()
    pane.tree.setCurrentItem(item(pane, "ring0"))
    qtbot.mouseClick(pane.rename_button, Qt.MouseButton.LeftButton)
    assert pane.tree.findChild(QLineEdit).text() == "ring0"


def test_the_menu_asks_for_what_was_chosen(qtbot: QtBot, pane: StructureWidget) -> None:
    entries = asked(pane)
    item(pane, "ring1").setSelected(True)
    item(pane, "ring0").setSelected(True)
    assert [node.name for node in pane.selected()] == ["ring0", "ring1"]
    menu = pane.menu()
    menu.actions()[0].trigger()
    assert [len(entry["full"]) for entry in entries] == [5]
    menu.deleteLater()


@pytest.mark.parametrize("way", ["button", "menu key"])
def test_the_menu_opens(qtbot: QtBot, pane: StructureWidget, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    pane.tree.setCurrentItem(item(pane, "ring0"))
    if way == "button":
        qtbot.mouseClick(pane.change_button, Qt.MouseButton.LeftButton)
    else:
        pane.tree.menu_asked.emit(pane.tree.mapToGlobal(pane.tree.rect().center()))
    menus = [menu for menu in pane.findChildren(type(pane.menu())) if menu.isVisible()]
    assert [action.text() for action in menus[0].actions()] == [
        "Exchange full and empty",
        "Not known what they are for",
    ]
    menus[0].close()


def test_nothing_can_be_changed_of_what_is_not_alike(pane: StructureWidget) -> None:
    assert not pane.change_button.isEnabled()
    item(pane, "ring0").setSelected(True)
    assert pane.change_button.isEnabled()
    item(pane, "producer").setSelected(True)
    assert not pane.change_button.isEnabled()


def test_entries_are_listed_with_what_is_wrong_and_taken_back(qtbot: QtBot, pane: StructureWidget) -> None:
    assert not pane.entries.isVisible()
    pane.set_entries([{"ring": "ring0", "name": "k"}, {"agents": ["x"], "role": "mma"}], {1: "structure[1]: no x"})
    assert [pane.entries.item(row).text() for row in range(2)] == ["ring ring0 is called k", "structure[1]: no x"]
    assert pane.entries.item(1).toolTip() == "x: mma"
    assert pane.entries.item(0).foreground() != pane.entries.item(1).foreground()
    back: list[int] = []
    pane.entry_removed.connect(back.append)
    qtbot.mouseClick(pane.remove_button, Qt.MouseButton.LeftButton)  # the newest one
    pane.entries.setCurrentRow(0)
    qtbot.keyClick(pane.entries, Qt.Key.Key_Delete)
    assert back == [1, 0]


def test_a_barrier_or_an_agent_leads_to_its_latest_event(qtbot: QtBot, pane: StructureWidget) -> None:
    wishes = requested(pane)
    for name in ("0x18", "producer", "ring0"):
        pane.tree.setCurrentItem(item(pane, name))
        qtbot.keyClick(pane.tree, Qt.Key.Key_Return)
    assert [wish.lane for wish in wishes] == ["CTA0.0x18", "CTA0.producer"]


def test_the_list_is_of_the_focused_events_cta_and_keeps_what_is_selected(pane: StructureWidget) -> None:
    item(pane, "ring0").setSelected(True)
    pane.set_focus(Focus(int((STRANGER.agent_cta[STRANGER.events["agent"]] == 0).nonzero()[0][0]), None))
    assert [node.name for node in pane.selected()] == ["ring0"]
    pane.set_focus(Focus(last_event(1), None))
    assert pane.selected() == []
    assert item(pane, "0x0").data(0, Qt.ItemDataRole.UserRole).row == 10
    pane.set_history(None)
    assert pane.tree.topLevelItemCount() == 0
