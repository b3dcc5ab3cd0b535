"""Who waits for whom, as data: golden chains of three mistakes."""

from __future__ import annotations

from diagnosed_mistakes import diagnosed

from visualizer.playback.focus import Focus
from visualizer.views.diagnosis.chain_model import Chain, chain


def _chain(fault: str, number: int = 0) -> Chain:
    history, report = diagnosed(fault)
    return chain(history.trace, report, report.every[number])


def _nodes(shown: Chain) -> list[tuple[str, str, bool, int]]:
    return [(node.title, node.detail, node.root, node.column) for node in shown.nodes]


def test_a_cycle_leads_back_to_its_first_agent() -> None:
    shown = _chain("F20")
    assert _nodes(shown) == [
        ("P", "blocked", True, 0),
        ("empty[1]", "0 of 1 arrived", False, 1),
        ("C0", "blocked", False, 2),
        ("full[1]", "0 of 1 arrived", False, 3),
    ]
    assert shown.edges == ((0, 1), (1, 2), (2, 3), (3, 0))
    assert shown.summary().endswith("full[1] waits for P")


def test_agents_at_the_same_place_share_a_box_and_a_dead_end_is_nobody() -> None:
    shown = _chain("32", number=3)
    assert _nodes(shown) == [
        ("producer", "blocked", False, 0),
        ("empty[0]", "0 of 96 arrived", False, 1),
        ("w1 w2 w3", "blocked", True, 2),
        ("full[0]", "1 of 32 arrived", False, 3),
        ("nobody", "is left to arrive", True, 4),
    ]
    assert shown.edges == ((0, 1), (1, 2), (2, 3), (3, 4))
    assert shown.nodes[3].focus == Focus(12, "full[0]")


def test_a_lapped_phase_has_gone_by() -> None:
    assert _nodes(_chain("F28"))[1:] == [
        ("full[0]", "wants #1, is in #3", False, 1),
        ("phase #1", "has gone by", True, 2),
    ]


def test_a_finding_about_no_blocked_agent_has_no_chain() -> None:
    _, report = diagnosed("F28")
    number = [finding.verdict for finding in report.every].index("WRITE AFTER READ")
    assert _chain("F28", number) == Chain()
