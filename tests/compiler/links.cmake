target_sources(test_compiler PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp
                                     ${CMAKE_CURRENT_SOURCE_DIR}/support/npy.cpp)
target_link_libraries(test_compiler PRIVATE memline_cpu memline_runtime)
