"""C and C++ by Autotools, tested by `make check`."""
