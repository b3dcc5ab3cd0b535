"""A window in which notes are written without end, until its process is killed; each is told when it is saved.

Run: python -m tests.fuzz.soak_window RECORDING SETTINGS NUMBER LIFE
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.fuzz.outcome import Outcome
from tests.fuzz.person import Person
from visualizer.playback.focus import Focus


def main() -> None:
    path, settings, number, life = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    person = Person(settings, Outcome())
    assert person.open(path)
    noting, navigator = person.window.noting, person.window.navigator
    written = 0
    while True:
        step = (written % 40) * 2 + number  # each window on events of its own
        navigator.go_to(Focus(step))
        if noting.notes.at(step) is None:
            noting.toggle_mark()
        mark = noting.notes.at(step)
        word = f"{number}-{life}-{written}"
        noting.set_text(mark, f"{mark.text} {word}")
        assert noting.path is not None, person.window.messages.text
        print(word, flush=True)
        written += 1
        person.application.processEvents()


if __name__ == "__main__":
    main()
