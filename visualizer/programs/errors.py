"""The error of a program that cannot be: apart, since who tells it need not know what programs are made of."""

from __future__ import annotations


class ProgramError(ValueError):
    """A program that cannot run as described; the message names the parameter and what it may be."""
