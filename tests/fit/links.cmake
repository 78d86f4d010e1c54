target_sources(test_fit PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp)
target_link_libraries(test_fit PRIVATE memline_compiler memline_cpu)
