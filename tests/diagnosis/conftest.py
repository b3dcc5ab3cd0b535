"""Its folder is where tests of all the folders below find what they share: programs, pipelines, changes."""
