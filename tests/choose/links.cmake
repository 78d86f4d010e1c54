target_sources(test_choose PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp)
target_link_libraries(test_choose PRIVATE memline_fit memline_cpu)
