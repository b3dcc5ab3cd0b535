"""Commands: what one is, the table of them all, their keys, and the ways to find and run them."""
