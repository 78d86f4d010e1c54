target_sources(test_cpu PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/tactic_check.cpp)
