target_sources(test_onnx PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/graph_check.cpp)
target_link_libraries(test_onnx PRIVATE memline_passes)
target_sources(test_onnx PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/npy.cpp)
