"""How everything looks: themes, fast painting, and what widgets of all panes share."""
