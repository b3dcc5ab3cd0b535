"""The query language: which events a breakpoint stops at, what find finds. docs/queries.md is its reference.

A text is parsed into a small tree and evaluated with numpy over the columns of the events: nothing is ever executed.
"""
