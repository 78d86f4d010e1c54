target_sources(test_tasks PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp)
