target_sources(test_passes PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp)
