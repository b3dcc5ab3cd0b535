"""Damage and nonsense anywhere in a file: it loads as it was, or it is refused, and nothing else happens."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from recording_files import assert_equal, members_of, refusal, with_value

from visualizer.recording.file import load
from visualizer.recording.trace import Trace, TraceError

FUZZ = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def damage(draw: st.DrawFn) -> Callable[[bytes], bytes]:
    """Flips, overwrites, cuts, inserts or appends, where it matters: any place, counted from either end."""
    from_end = draw(st.booleans())
    place = draw(st.one_of(st.integers(0, 400), st.integers(0, 1 << 16)))
    way = draw(st.sampled_from(["flip", "overwrite", "cut", "insert", "append"]))
    new = draw(st.binary(min_size=1, max_size=12))

    def apply(content: bytes) -> bytes:
        at = place % len(content)
        at = len(content) - 1 - at if from_end else at
        if way == "flip":
            return content[:at] + bytes([content[at] ^ (1 << (new[0] % 8))]) + content[at + 1 :]
        if way == "overwrite":
            return (content[:at] + new + content[at + len(new) :])[: len(content)]
        if way == "cut":
            return content[:at]
        return content[:at] + new + content[at:] if way == "insert" else content + new

    return apply


@FUZZ
@given(damages=st.lists(damage(), min_size=1, max_size=3))
def test_damage_anywhere_is_refused_or_harmless(
    damages: list[Callable[[bytes], bytes]], lesson_file: Path, lesson_trace: Trace, tmp_path: Path
) -> None:
    content = lesson_file.read_bytes()
    for apply in damages:
        content = apply(content) or b"x"
    path = tmp_path / "fuzzed.pscope"
    # A new file each time: the one before may still be mapped.
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    try:
        loaded = load(path)
    except TraceError:
        refusal(path)
    else:
        assert_equal(loaded, lesson_trace)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=3), children, max_size=3),
    max_leaves=4,
)


@FUZZ
@given(data=st.data())
def test_any_value_at_any_key_loads_or_is_refused(
    data: st.DataObject, lesson_file: Path, repack: Callable[..., Path]
) -> None:
    document = json.loads(members_of(lesson_file)["meta.json"])
    keys: list[str | int] = []
    value = document
    while isinstance(value, dict | list) and value and (not keys or data.draw(st.booleans())):
        keys.append(data.draw(st.sampled_from(list(value) if isinstance(value, dict) else range(len(value)))))
        value = value[keys[-1]]
    content = with_value(document, tuple(keys), data.draw(JSON_VALUES))
    path = repack({"meta.json": content})
    try:
        load(path)
    except TraceError:
        refusal(path)
