"""C and C++ by CMake, tested by CTest."""
