"""What to install where something is missing, by command: said by `phasescope doctor`, and where it is missed."""

from __future__ import annotations

APT_PACKAGES = (
    "libegl1 libgl1 libxkbcommon-x11-0 libdbus-1-3 libfontconfig1 libxcb-cursor0 libxcb-icccm4 libxcb-image0"
    " libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-xinerama0 libxcb-xfixes0"
)
"""The system libraries Qt needs that a bare Debian or Ubuntu lacks."""
INSTALL_APP = "pip install 'phasescope[app]'"
INSTALL_QT_LIBRARIES = f"sudo apt install {APT_PACKAGES}"
INSTALL_CJK_FONT = "sudo apt install fonts-noto-cjk"
