"""Our Theme as Qt's palette and style sheet: the one place where theme colours meet standard widgets."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from visualizer.resources import resource_dir
from visualizer.views.look.theme import Theme, mix

_ROLES = QPalette.ColorRole


def palette_of(theme: Theme) -> QPalette:
    """The palette standard widgets draw with."""
    palette = QPalette()
    for role, colour in {
        _ROLES.Window: theme.window,
        _ROLES.WindowText: theme.text,
        _ROLES.Base: theme.panel,
        _ROLES.AlternateBase: theme.panel_alternate,
        _ROLES.Text: theme.text,
        _ROLES.Button: theme.header,
        _ROLES.ButtonText: theme.text,
        _ROLES.BrightText: theme.text,
        _ROLES.ToolTipBase: theme.raised,
        _ROLES.ToolTipText: theme.text,
        _ROLES.PlaceholderText: theme.text_muted,
        _ROLES.Highlight: theme.selection,
        _ROLES.HighlightedText: theme.text,
        _ROLES.Link: theme.code_keyword,
        _ROLES.Light: mix(theme.border, theme.panel, 0.5),
        _ROLES.Midlight: theme.grid,
        _ROLES.Mid: theme.border,
        _ROLES.Dark: theme.border,
        _ROLES.Shadow: theme.window,
        _ROLES.Accent: theme.producer.outline,
    }.items():
        palette.setColor(role, QColor(colour))
    for role in (_ROLES.WindowText, _ROLES.Text, _ROLES.ButtonText, _ROLES.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.text_disabled))
    return palette


def style_sheet(theme: Theme, scale: float) -> str:
    """What the palette cannot say: flat panels, quiet docks, one look for the current thing.

    `scale` (1 is 100 %) enlarges what has no text in it: arrows, boxes to tick, handles, scroll bars.
    """
    button = mix(theme.header, theme.text, 0.08)
    edge = 2 if theme.high_contrast else 1

    def px(size: float) -> str:
        return f"{round(size * scale)}px"

    icons = (resource_dir("assets") / "icons").as_posix()
    return f"""
QMainWindow::separator {{ background: {theme.window}; width: 5px; height: 5px; }}
QMainWindow::separator:hover {{ background: {theme.accent}; }}
QToolTip {{ background: {theme.raised}; color: {theme.text}; border: 1px solid {theme.border}; padding: 4px; }}
QMenuBar {{ background: {theme.window}; }}
QMenuBar::item {{ padding: 4px 9px; background: transparent; border-radius: 3px; }}
QMenuBar::item:selected {{ background: {theme.selection}; }}
QMenu {{ background: {theme.raised}; border: 1px solid {theme.border}; padding: 4px; }}
QMenu::item {{ padding: 4px 26px 4px 22px; border-radius: 3px; }}
QMenu::item:selected {{ background: {theme.selection}; }}
QMenu::item:disabled {{ color: {theme.text_disabled}; }}
QMenu::separator {{ height: 1px; background: {theme.border}; margin: 4px 6px; }}
QToolBar {{ background: {theme.window}; border: none; spacing: 3px; padding: 2px 6px; }}
QToolButton {{ border: 1px solid transparent; border-radius: 4px; padding: 4px 7px; }}
QToolButton:hover {{ background: {button}; border-color: {theme.border}; }}
QToolButton:pressed, QToolButton:checked {{ background: {theme.selection}; border-color: {theme.accent}; }}
QToolButton:disabled {{ color: {theme.text_disabled}; }}
#foldHeader {{ padding: 3px 6px 3px 0; font-weight: 600; qproperty-iconSize: {px(10)} {px(10)}; }}
#foldHeader:checked {{ background: transparent; border-color: transparent; }}
#foldHeader:hover {{ background: {button}; }}
#foldHeader:focus {{ border: {edge}px solid {theme.accent}; }}
QDockWidget {{ color: {theme.text_muted}; font-weight: 600; }}
QDockWidget::title {{ background: {theme.header}; padding: 4px 8px; border-top: 1px solid {theme.border}; }}
QDockWidget > QWidget {{ background: {theme.panel}; font-weight: 400; }}
QTabBar::tab {{ background: {theme.header}; color: {theme.text_muted}; padding: 5px 12px; margin-right: 2px;
  border-top: 2px solid transparent; }}
QTabBar::tab:selected {{ background: {theme.panel}; color: {theme.text}; border-top: 2px solid {theme.accent}; }}
QTabBar::tab:hover {{ color: {theme.text}; }}
QPushButton {{ background: {theme.raised}; border: 1px solid {theme.border}; border-radius: 4px; padding: 5px 12px; }}
QPushButton:hover {{ background: {button}; }}
QPushButton:focus {{ border: {edge}px solid {theme.accent}; }}
QPushButton:disabled {{ color: {theme.text_disabled}; border-color: {theme.grid}; }}
QPushButton[role="primary"]:enabled {{ background: {theme.producer.fill}; color: {theme.producer.text};
  border-color: {theme.producer.outline}; font-weight: 600; }}
QPushButton[role="primary"]:focus {{ border-color: {theme.accent}; }}
QSpinBox, QDoubleSpinBox, QComboBox, QLineEdit {{ background: {theme.panel}; color: {theme.text};
  placeholder-text-color: {theme.text_muted}; border: 1px solid {theme.border}; border-radius: 3px; padding: 2px 5px;
  selection-background-color: {theme.selection}; selection-color: {theme.text}; }}
QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus, QLineEdit:focus {{ border: {edge}px solid {theme.accent}; }}
QSpinBox[changed="true"], QCheckBox[changed="true"], QComboBox[changed="true"] {{ font-weight: 600;
  border-color: {theme.producer.outline}; }}
QSpinBox::up-button, QSpinBox::down-button {{ subcontrol-origin: border; width: {px(16)}; border: none; }}
QSpinBox::up-button:hover, QSpinBox::down-button:hover {{ background: {button}; }}
QSpinBox::up-arrow {{ image: url({icons}/up.svg); width: {px(9)}; height: {px(9)}; }}
QSpinBox::down-arrow, QComboBox::down-arrow {{ image: url({icons}/down.svg); width: {px(9)}; height: {px(9)}; }}
QComboBox::drop-down {{ border: none; width: {px(18)}; }}
QCheckBox::indicator, QTreeView::indicator {{ width: {px(14)}; height: {px(14)}; border: 1px solid {theme.text_muted};
  border-radius: 3px; background: {theme.panel}; }}
QCheckBox::indicator:checked, QTreeView::indicator:checked {{ background: {theme.producer.fill};
  image: url({icons}/check.svg); }}
QCheckBox::indicator:focus {{ border-color: {theme.accent}; }}
QSpinBox:disabled, QComboBox:disabled, QLineEdit:disabled {{ color: {theme.text_disabled}; }}
QComboBox QAbstractItemView, #completions {{ background: {theme.raised}; border: {edge}px solid {theme.text_muted}; }}
QSlider:horizontal {{ min-height: {px(18)}; }}
QSlider::groove:horizontal {{ height: {px(6)}; background: {theme.grid}; border-radius: 3px; }}
QSlider::sub-page:horizontal {{ background: {theme.producer.outline}; border-radius: 3px; }}
QSlider::handle:horizontal {{ width: {px(12)}; margin: -{px(6)} 0; border-radius: {px(6)};
  background: {theme.accent}; }}
QSlider::handle:horizontal:disabled {{ background: {theme.text_disabled}; }}
QProgressBar {{ background: {theme.grid}; border: none; border-radius: 3px; text-align: center; min-height: {px(18)}; }}
QProgressBar::chunk {{ background: {theme.producer.fill}; border-radius: 3px; }}
QHeaderView::section {{ background: {theme.header}; color: {theme.text_muted}; border: none; padding: 3px 6px;
  border-right: 1px solid {theme.grid}; border-bottom: 1px solid {theme.border}; }}
QTableView, QListView, QTreeView, QPlainTextEdit, QTextBrowser {{ background: {theme.panel}; border: none;
  gridline-color: {theme.grid}; selection-background-color: {theme.selection}; selection-color: {theme.text}; }}
QPlainTextEdit {{ placeholder-text-color: {theme.text_muted}; }}
QPlainTextEdit[readOnly="false"] {{ border: 1px solid {theme.border}; border-radius: 3px; }}
QPlainTextEdit[readOnly="false"]:focus {{ border: {edge}px solid {theme.accent}; }}
QTreeView::item {{ padding: 2px 0; }}
QTableCornerButton::section {{ background: {theme.header}; border: none; }}
QScrollBar:vertical {{ background: transparent; width: {px(11)}; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {px(11)}; margin: 0; }}
QScrollBar::handle {{ background: {theme.border}; border-radius: 4px; margin: 2px; }}
QScrollBar::handle:vertical {{ min-height: {px(24)}; }}
QScrollBar::handle:horizontal {{ min-width: {px(24)}; }}
QScrollBar::handle:hover {{ background: {theme.text_disabled}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none; width: 0;
  height: 0; }}
QScrollArea {{ border: none; background: {theme.panel}; }}
#parameters, ExperimentPanel {{ background: {theme.panel}; }}
QStatusBar {{ background: {theme.header}; border-top: 1px solid {theme.border}; }}
QStatusBar::item {{ border: none; }}
QStatusBar QLabel {{ color: {theme.text_muted}; padding: 1px 7px; }}
QStatusBar QLabel[alarm="true"] {{ color: {theme.error.text}; background: {theme.error.fill}; border-radius: 3px; }}
#firstSteps {{ background: {theme.panel}; border-bottom: 1px solid {theme.border}; }}
#runsStrip {{ background: {theme.header}; border-bottom: 1px solid {theme.border}; }}
#runsStrip QListView {{ background: transparent; }}
#runsStrip QListView::item {{ border: 1px solid {theme.border}; border-radius: 3px; padding: 1px 6px; }}
#runsStrip QListView::item:selected {{ background: {theme.selection}; color: {theme.text}; }}
#findBar {{ background: {theme.header}; border-bottom: 1px solid {theme.border}; }}
#messageBar {{ border: 1px solid {theme.border}; background: {theme.raised}; }}
#messageBar[kind="error"] {{ background: {theme.error.fill}; }}
#messageBar[kind="error"] QLabel, #messageBar[kind="error"] QToolButton {{ color: {theme.error.text};
  font-weight: 600; }}
#parameterProblem {{ color: {theme.error.outline}; font-weight: 600; }}
#hint {{ color: {theme.text_muted}; }}
#stepLabel {{ font-weight: 600; padding: 0 8px; }}
"""
