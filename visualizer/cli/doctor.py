"""`phasescope doctor`: what works on this computer and what to install for the rest.

Each probe runs in a process of its own, so that a missing library or a broken driver is a line here and not a crash.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
from dataclasses import asdict, dataclass
from typing import Any

from visualizer.children import child_command, child_environment
from visualizer.cli.errors import EXIT_CLEAN, EXIT_FINDINGS
from visualizer.cli.remedies import INSTALL_APP, INSTALL_CJK_FONT, INSTALL_QT_LIBRARIES
from visualizer.cli.show_text import columns, padded
from visualizer.language import mark, tr
from visualizer.sources.errors import SourceError

EXAMPLES = mark("""examples:
  phasescope doctor
  phasescope doctor --json

exit status: 0 everything works, 1 something is missing
""")

_PROBE_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `remedy` is "" when `ok`."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "doctor",
        help=tr("what works on this computer, and what to install"),
        description=tr("Check the GPU, its driver and CuPy, the Qt libraries and the fonts; say what to install."),
        epilog=tr(EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help=tr("print the findings as JSON"))
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    findings = examine()
    ok = all(finding.ok for finding in findings)
    if args.json:
        print(json.dumps({"ok": ok, "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        width = max(columns(finding.name) for finding in findings)
        for finding in findings:
            state = tr("ok") if finding.ok else tr("missing")
            print(f"{padded(state, 8)}{padded(finding.name, width)}  {finding.detail}")
            if finding.remedy:
                print(f"{'':8}{'':{width}}  -> {finding.remedy}")
    return EXIT_CLEAN if ok else EXIT_FINDINGS


def examine() -> list[Finding]:
    return [examine_python(), *examine_qt(), examine_gpu()]


def examine_python() -> Finding:
    import numpy

    return Finding("Python", True, f"{platform.python_version()}, NumPy {numpy.__version__}")


def examine_qt() -> list[Finding]:
    """Qt and the fonts, as a process that has only just started sees them."""
    try:
        done = subprocess.run(
            child_command("visualizer.app.window.qt_probe"),
            env=child_environment(),
            capture_output=True,
            text=True,
            timeout=_PROBE_SECONDS,
        )
    except subprocess.TimeoutExpired:
        return [
            Finding(
                "Qt",
                False,
                tr("did not start within {probe_seconds} s", probe_seconds=_PROBE_SECONDS),
                INSTALL_QT_LIBRARIES,
            )
        ]
    if done.returncode:
        reason = (
            done.stderr.strip().splitlines()[-1]
            if done.stderr.strip()
            else tr("exit status {returncode}", returncode=done.returncode)
        )
        missing_package = "ModuleNotFoundError" in reason
        return [Finding("Qt", False, reason, INSTALL_APP if missing_package else INSTALL_QT_LIBRARIES)]
    seen = json.loads(done.stdout)
    return [
        Finding("Qt", True, f"PySide6 {seen['pyside']}"),
        _font_finding(tr("Font"), seen["fixed_font"], tr("no fixed-width font"), "sudo apt install fonts-dejavu-core"),
        _font_finding(tr("Chinese font"), seen["chinese_font"], tr("no font has Chinese characters"), INSTALL_CJK_FONT),
    ]


def examine_gpu() -> Finding:
    from visualizer.sources.runner.find_gpu import find_gpu

    try:
        seen = find_gpu()
    except SourceError as error:
        return Finding("GPU", False, tr("recording on a GPU does not work; the simulator does"), str(error))
    return Finding("GPU", True, ", ".join(f"{name} {value}" for name, value in seen.items()))


def _font_finding(name: str, family: str, problem: str, remedy: str) -> Finding:
    return Finding(name, True, family) if family else Finding(name, False, problem, remedy)
