// CMake wants a source; the library is made of the folders' archives.
