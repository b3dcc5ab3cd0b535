"""Every theme is complete and legible: 3:1 for graphics, 4.5:1 for text (WCAG 2.1); high contrast has 4.5:1 and 7:1."""

import json

import pytest

from visualizer.views.look import theme as themes
from visualizer.views.look.theme import PAINT_ROLES, ThemeError, contrast, load_theme, mix, theme_name, theme_names

SURFACES = ("window", "panel", "panel_alternate", "header", "raised", "selection")


@pytest.fixture(params=theme_names())
def theme(request):
    return load_theme(request.param)


def for_text(theme):
    return 7 if theme.high_contrast else 4.5


def for_graphics(theme):
    return 4.5 if theme.high_contrast else 3


def test_there_is_one_theme_of_each_kind():
    kinds = [(dark, high) for dark in (False, True) for high in (False, True)]
    assert sorted(theme_name(dark=dark, high_contrast=high) for dark, high in kinds) == theme_names()


@pytest.mark.parametrize("name", theme_names())
def test_file_name_is_the_theme_name_and_says_its_kind(name):
    theme = load_theme(name)
    assert theme.name == name == theme_name(dark=theme.dark, high_contrast=theme.high_contrast)
    assert theme.dark is (contrast(theme.panel, "#ffffff") > contrast(theme.panel, "#000000"))


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("text", ["text", "text_muted"])
def test_text_on_surfaces(theme, surface, text):
    assert contrast(theme.colour(text), theme.colour(surface)) >= for_text(theme)


def text_fills(theme):
    """What is drawn under ordinary text besides the surfaces: rows of tables, pressed buttons, lines of code."""
    changed, waiting = mix(theme.panel, theme.accent, 0.28), mix(theme.panel, theme.waiting.fill, 0.35)
    return [changed, waiting, mix(theme.header, theme.text, 0.08), *code_fills(theme)]


def code_fills(theme):
    return [mix(theme.panel, theme.paint(role).fill, 0.16) for role in PAINT_ROLES]


def test_text_on_every_mixed_fill(theme):
    assert min(contrast(theme.text, fill) for fill in text_fills(theme)) >= 4.5
    for role in ("code_comment", "code_keyword", "code_string", "code_number"):
        assert min(contrast(theme.colour(role), fill) for fill in code_fills(theme)) >= 4.5


@pytest.mark.parametrize("surface", SURFACES)
def test_problems_are_text_on_every_surface(theme, surface):
    """Sentences about a problem are in the error's outline, the diagnosis' signs in that of waiting."""
    assert contrast(theme.error.outline, theme.colour(surface)) >= 4.5


@pytest.mark.parametrize("surface", ["panel", "panel_alternate"])
def test_signs_of_the_diagnosis_are_text(theme, surface):
    assert contrast(theme.waiting.outline, theme.colour(surface)) >= 4.5


@pytest.mark.parametrize("surface", SURFACES)
def test_the_focus_stands_off_every_surface(theme, surface):
    assert contrast(theme.accent, theme.colour(surface)) >= 3


@pytest.mark.parametrize("surface", SURFACES)
def test_high_contrast_shows_edges_and_what_is_disabled(theme, surface):
    if theme.high_contrast:
        assert contrast(theme.border, theme.colour(surface)) >= 3
        assert contrast(theme.text_disabled, theme.colour(surface)) >= 4.5


@pytest.mark.parametrize("role", ["code_comment", "code_keyword", "code_string", "code_number", "text"])
@pytest.mark.parametrize("surface", ["panel", "code_current_line"])
def test_code_is_text(theme, role, surface):
    assert contrast(theme.colour(role), theme.colour(surface)) >= 4.5


def test_text_on_accent(theme):
    assert contrast(theme.accent_text, theme.accent) >= 4.5


@pytest.mark.parametrize("role", PAINT_ROLES)
def test_text_on_every_paint(theme, role):
    paint = theme.paint(role)
    assert contrast(paint.text, paint.fill) >= 4.5


@pytest.mark.parametrize("role", PAINT_ROLES)
@pytest.mark.parametrize("surface", ["panel", "panel_alternate", "selection"])
def test_every_paint_stands_off_its_surface(theme, role, surface):
    """By its outline, which is always drawn: orange, sky and yellow alone would vanish on white."""
    assert contrast(theme.paint(role).outline, theme.colour(surface)) >= for_graphics(theme)


@pytest.mark.parametrize("role", ["accent", "hover", "pending", "tx", "released_by", "wakes"])
@pytest.mark.parametrize("surface", ["panel", "panel_alternate"])
def test_lines_stand_off(theme, role, surface):
    assert contrast(theme.colour(role), theme.colour(surface)) >= for_graphics(theme)


@pytest.mark.parametrize("role", ["pending", "tx"])
@pytest.mark.parametrize("phase", ["phase_even", "phase_odd"])
def test_curves_stand_off_the_phase_they_are_drawn_in(theme, role, phase):
    assert contrast(theme.colour(role), theme.paint(phase).fill) >= for_graphics(theme)


def test_state_colours_are_okabe_ito(theme):
    fills = {role: theme.paint(role).fill for role in ("filling", "full", "reading", "waiting", "error")}
    assert fills == {
        "filling": "#56b4e9", "full": "#009e73", "reading": "#e69f00", "waiting": "#d55e00", "error": "#cc79a7",
    }  # fmt: skip


def test_contrast_is_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


def test_mix_goes_from_one_to_the_other():
    assert mix("#000000", "#ffffff", 0) == "#000000"
    assert mix("#000000", "#ffffff", 1) == "#ffffff"
    assert mix("#102030", "#304050", 0.5) == "#203040"


def test_unknown_theme_names_the_choices():
    with pytest.raises(ThemeError, match="there is no theme 'neon'; choose one of dark, high-contrast-dark,"):
        load_theme("neon")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"panel": "blue"}, "panel: expected a colour"),
        ({"full": {"fill": "#000000"}}, "full: expected"),
        ({"panell": "#000000"}, "unknown colour 'panell'"),
        ({"panel": None}, "panel: expected a colour"),
        ({"dark": "yes"}, "'dark' must be true or false"),
        ({"high_contrast": 1}, "'high_contrast' must be true or false"),
    ],
)
def test_a_bad_file_is_named(tmp_path, monkeypatch, change, message):
    source = themes.resource_dir("assets") / "themes" / "dark.json"
    document = json.loads(source.read_text()) | change
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "mine.json").write_text(json.dumps(document))
    monkeypatch.setattr(themes, "resource_dir", lambda name: tmp_path)
    with pytest.raises(ThemeError, match=message) as error:
        load_theme("mine")
    assert "mine.json" in str(error.value)


def test_a_missing_colour_is_named(tmp_path, monkeypatch):
    document = json.loads((themes.resource_dir("assets") / "themes" / "dark.json").read_text())
    del document["grid"]
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "mine.json").write_text(json.dumps(document))
    monkeypatch.setattr(themes, "resource_dir", lambda name: tmp_path)
    with pytest.raises(ThemeError, match="'grid' is missing"):
        load_theme("mine")
