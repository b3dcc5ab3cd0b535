"""Render models (pure) and the Qt widgets that paint them."""
