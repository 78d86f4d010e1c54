# libmemline_video.so: src/video/ over FFmpeg's libraries. The core opens it on demand (src/vision/video_library.h), so nothing else
# links FFmpeg. Only its entry point is visible.
if(MEMLINE_VIDEO)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET libavformat>=59 libavcodec>=59 libswscale>=6 libavutil>=57)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/video/*.cpp)
  add_library(memline_video SHARED ${sources})
  target_link_libraries(memline_video PRIVATE memline_vision PkgConfig::FFMPEG)
  target_include_directories(memline_video INTERFACE ${CMAKE_SOURCE_DIR}/src)
  target_link_options(memline_video PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined)
  set_target_properties(memline_video PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endif()
