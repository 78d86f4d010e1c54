# The tests reach the library as the program does: they open the file.
add_dependencies(test_video memline_video)
target_link_libraries(test_video PRIVATE memline_vision)
target_compile_definitions(test_video PRIVATE MEMLINE_VIDEO_LIBRARY="$<TARGET_FILE:memline_video>")
