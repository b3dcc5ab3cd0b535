"""What `phasescope doctor` asks of Qt, in a process of its own: does it load, and which fonts has it?

Prints one JSON object. An ImportError is left to be the last line of stderr: doctor reads it from there.
"""

from __future__ import annotations

import json
import os
import sys


def main() -> None:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    import PySide6
    from PySide6.QtGui import QFontDatabase, QGuiApplication

    application = QGuiApplication(sys.argv[:1])
    chinese = QFontDatabase.families(QFontDatabase.WritingSystem.SimplifiedChinese)
    fixed = [family for family in QFontDatabase.families() if QFontDatabase.isFixedPitch(family)]
    seen = {
        "pyside": PySide6.__version__,
        "fixed_font": fixed[0] if fixed else "",
        "chinese_font": chinese[0] if chinese else "",
    }
    print(json.dumps(seen))
    del application


if __name__ == "__main__":
    main()
