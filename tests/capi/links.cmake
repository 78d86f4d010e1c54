target_sources(test_capi PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/capi/c_program.c ${CMAKE_CURRENT_SOURCE_DIR}/model/counted_malloc.cpp)
target_link_libraries(test_capi PRIVATE memline_api)
