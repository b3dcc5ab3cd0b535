"""Why agents wait for ever."""
