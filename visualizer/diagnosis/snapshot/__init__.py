"""One moment of a kernel, as a debugger shows it: barrier words, and who stands where. No recording, no history."""
