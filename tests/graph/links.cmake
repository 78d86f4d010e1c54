target_sources(test_graph PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp)
