"""What a command line starts in the end: shell, Makefiles, scripts of task runners."""
