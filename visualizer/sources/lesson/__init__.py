"""The lesson's kernel on a GPU: its options, its log at every level, windows, and how they become a Trace."""
