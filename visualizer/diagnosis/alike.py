"""Findings that say of several CTAs what one says of the first: told once, with where else.

A kernel makes a mistake in every CTA. A report holds the findings of each, with their effects; for people those of the
others come down to a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from visualizer.diagnosis.report import Finding, Report

_CTA = re.compile(r"\bCTA(\d+)\.")


@dataclass(frozen=True, slots=True)
class Told:
    """A finding and those that say the same of other CTAs."""

    finding: Finding
    others: tuple[Finding, ...]

    @property
    def ctas(self) -> int:
        """How many other CTAs it is the same in."""
        return len({_cta(other) for other in self.others} - {_cta(self.finding)})


@dataclass(frozen=True, slots=True)
class Root:
    """A root cause with what came of it; what came of the same in CTAs that it does not meet is left out."""

    cause: Told
    effects: tuple[Told, ...]


def folded(report: Report) -> tuple[Root, ...]:
    """The report's findings, those alike together, in order of the first of each."""
    groups: dict[object, list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault(_likeness(finding, ""), []).append(finding)
    roots = []
    for likeness, group in groups.items():
        others: list[Finding] = []
        effects: list[Finding] = []
        for finding in group:
            others += [finding] if finding is not group[0] else []
            for effect in finding.effects:
                if _likeness(effect, "") == likeness and _cta(effect) != _cta(finding):
                    others.append(effect)
                elif finding is group[0]:
                    effects.append(effect)
        roots.append(Root(Told(group[0], tuple(others)), _told(effects)))
    return tuple(roots)


def _told(effects: Sequence[Finding]) -> tuple[Told, ...]:
    """Each kind of effect once; those of one CTA are told one by one, as an agent each."""
    groups: dict[object, list[Finding]] = {}
    for effect in effects:
        groups.setdefault(_likeness(effect, _without_cta(effect.agent or "")), []).append(effect)
    return tuple(told for group in groups.values() for told in _across_ctas(group))


def _across_ctas(group: Iterable[Finding]) -> list[Told]:
    """Alike findings of the first one's CTA each for itself; the first with all those of other CTAs."""
    first, *rest = group
    others = tuple(one for one in rest if _cta(one) != _cta(first))
    return [Told(first, others), *(Told(one, ()) for one in rest if _cta(one) == _cta(first))]


def _likeness(finding: Finding, agent: str) -> tuple[object, ...]:
    """What findings have in common that say the same: the mistake and the line, or if it has no name the words, and the
    barrier's state. Which agent met it may differ, but for `agent`."""
    words = _without_cta(finding.cause.replace(finding.agent or "\0", "")) if not finding.rule else ""
    site = (finding.site.file, finding.site.line) if finding.site is not None else None
    state = (finding.phase_wanted, finding.phase_now, finding.parity, finding.pending, finding.expected, finding.tx)
    place = (_without_cta(finding.title or finding.barrier or ""), finding.stage, finding.ring, finding.tile)
    none = _cta(finding) is None
    apart = id(finding) if none else None
    return (finding.verdict, finding.severity, finding.certain, finding.rule, words, site, state, place, agent, apart)


def _cta(finding: Finding) -> int | None:
    """The CTA that it is about; None: it names none."""
    found = _CTA.match(finding.agent or finding.barrier or "")
    return int(found[1]) if found else None


def _without_cta(text: str) -> str:
    return _CTA.sub("", text)
