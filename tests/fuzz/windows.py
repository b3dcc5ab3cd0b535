"""Damaged recordings and settings in a real window, each in a process of its own (`worker` sees to that)."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.fuzz import damage, nasty, seeds
from tests.fuzz.outcome import Outcome

SETTINGS_SAID = "The settings were damaged"


def recording_in_a_window(seed: int, folder: Path, outcome: Outcome) -> None:
    """A damaged recording: opened in a window, looked at all over, compared with itself; then a sound one."""
    from tests.fuzz.person import Complaints, Person

    random = Random(seed)
    known = seeds.recordings()
    content, outcome.ways = damage.damage(known[random.choice(sorted(known))], random)
    path, sound = folder / "case.pscope", folder / "sound.pscope"
    path.write_bytes(content)
    sound.write_bytes(known["lesson"])
    with Complaints().listening() as complaints:
        person = Person(folder / "settings" / "settings.ini", outcome)
        if person.open(path):
            outcome.reached.append("open")
            person.look_around(random)
            if seed % 4 == 0:
                person.compare(path)
            complaints.check()
        assert person.open(sound), f"after it a sound recording is refused: {person.window.messages.text}"
        outcome.refused = "" if "open" in outcome.reached else outcome.refused
        person.close()
        outcome.reached.append("closed")


def settings_of_a_window(seed: int, folder: Path, outcome: Outcome) -> None:
    """A damaged file of settings: the window starts, says so once if it is put aside, and opens a recording."""
    from tests.fuzz.person import Complaints, Person
    from visualizer.app.settings.settings import Settings

    random = Random(seed)
    path, sound = folder / "settings.ini", folder / "sound.pscope"
    sound.write_bytes(seeds.recordings()["lesson"])
    if not _LEFT_BEHIND:
        _LEFT_BEHIND.update(settings_left_behind())
    path.write_text(str(_LEFT_BEHIND["settings"]), encoding="utf-8")
    chosen = Settings(path)
    chosen.theme, chosen.scale = random.choice(("dark", "light")), random.choice((100, 125, 150))
    chosen.add_recent(sound)
    chosen.flush()
    with Complaints().listening():
        content, outcome.ways = _damaged(path.read_bytes(), random)
        path.write_bytes(content)
        person = Person(path, outcome)
        outcome.reached.append("started")
        aside = person.window.settings.damaged
        if aside is not None:
            assert aside.read_bytes() == content, "the old file is not what it was"
            assert SETTINGS_SAID in person.window.messages.text, "the settings are others, and nothing says why"
            outcome.reached.append("put aside and said")
        assert person.open(sound), f"a sound recording is refused: {person.window.messages.text}"
        person.close()
        outcome.reached.append("opened")
    assert path.exists(), "what the window remembers is not written any more"


_LEFT_BEHIND: dict[str, object] = {}


def settings_left_behind() -> dict[str, object]:
    """The file that a window writes, in which a recording was opened in every size of text."""
    from tests.fuzz.person import Complaints, Person

    with TemporaryDirectory(prefix="fuzz-") as folder, Complaints().listening():
        path, sound = Path(folder) / "settings.ini", Path(folder) / "sound.pscope"
        sound.write_bytes(seeds.recordings()["lesson"])
        person = Person(path, Outcome())
        person.open(sound)
        for scale in (125, 150, 100):
            person.window.appearance.set_scale(scale)
            person.settle()
        person.close()
        return {"settings": path.read_text(encoding="utf-8")}


def _damaged(content: bytes, random: Random) -> tuple[bytes, tuple[str, ...]]:
    """The file with bytes changed, values replaced, lines put in, or cut short; and which."""
    ways = []
    for _ in range(random.choice((1, 1, 2, 4))):
        way = random.choice(("bytes", "bytes", "value", "value", "line", "cut", "typed"))
        ways.append(way)
        lines = content.split(b"\n")
        at = random.randrange(len(lines))
        if way == "bytes":
            changed = bytearray(content)
            for _ in range(random.choice((1, 3, 30))):
                if changed:
                    changed[random.randrange(len(changed))] = random.randrange(256)
            content = bytes(changed)
        elif way == "value":
            key = lines[at].partition(b"=")[0]
            value = random.choice((nasty.text(random), str(nasty.integer(random)), "9" * 5000, "true", '"[[[[["'))
            lines[at] = key + b"=" + value.encode("utf-8", "replace")
            content = b"\n".join(lines)
        elif way == "line":
            lines.insert(at, random.choice(_LINES))
            content = b"\n".join(lines)
        elif way == "cut":
            content = content[: random.randrange(len(content) + 1)]
        else:
            key = lines[at].partition(b"=")[0] or b"theme"
            lines[at] = key + b"=" + random.choice(_TYPED)
            content = b"\n".join(lines)
    return content, tuple(ways)


_LINES = (
    b"[keys]\nstep.next=Ctrl+\xc3\xb6 Ctrl+Ctrl+ F99", b"[keys]\n.=x", b"[keys]\nview.fit=" + b"F " * 5000, b"[", b"]",
    b"=", b"recent=7", b'recent="[\\"/dev/zero\\", \\"a\\\\u0000b\\", 4, null]"', b"[window]\ngeometry=00000000:AAAA",
    b"[window]\nstate=@ByteArray(\\0\\0\\0\\xff)", b"language=xx", b"theme=../../etc/passwd", b"scale=-1", b"x=" * 300,
    b"\\" * 99, b"%Uffff=1", b"[" * 4000, b"recent=a, b, c, \"", b"[%General]\ntheme=dark",
)  # fmt: skip
_TYPED = (
    b"@Variant(\\0\\0\\0\\xb\\xff\\xff\\xff\\xff)", b"@ByteArray(", b"@Invalid()", b"@Rect(1 2 3)", b"@Size(9e99 1)",
    b"@DateTime(\\0\\0\\0\\x10)", b"@String(x)", b"@Variant(\\0\\0\\0\\t\\xff\\xff\\xff\\xff)", b"@@Variant(x)",
)  # fmt: skip

PREPARED = {"settings": (settings_left_behind, _LEFT_BEHIND.update)}
KINDS = {"window": recording_in_a_window, "settings": settings_of_a_window}
