"""The diagnosis pane: findings, their details, and who waits for whom."""
