target_sources(test_ops PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/ops/run_op.cpp ${CMAKE_CURRENT_SOURCE_DIR}/support/case_file.cpp)
