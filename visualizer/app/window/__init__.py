"""The main window and what stands around the panes: menus, bars, docks, sheets."""
