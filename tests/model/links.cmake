target_sources(test_model PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/support/npy.cpp ${CMAKE_CURRENT_SOURCE_DIR}/model/counted_malloc.cpp)
target_link_libraries(test_model PRIVATE memline_api nlohmann_json::nlohmann_json)
# Frames of the demo's film come through the library, as the program gets them.
if(TARGET memline_video)
  add_dependencies(test_model memline_video)
  target_compile_definitions(test_model PRIVATE MEMLINE_VIDEO_LIBRARY="$<TARGET_FILE:memline_video>")
endif()
