# The tests run the program as a user does.
add_dependencies(test_cli memline_program)
target_compile_definitions(test_cli PRIVATE MEMLINE_PROGRAM="$<TARGET_FILE:memline_program>")
