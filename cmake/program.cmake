# libmemline.so: everything behind include/memline, nothing else visible. The program `memline` over it sees only the public headers
# and base/.
add_library(memline SHARED ${CMAKE_SOURCE_DIR}/cmake/empty.cpp)
target_include_directories(memline PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
target_link_libraries(memline PRIVATE -Wl,--whole-archive memline_api memline_capi -Wl,--no-whole-archive)
target_link_options(memline PRIVATE -Wl,--no-undefined)
set_target_properties(memline PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} VERSION ${PROJECT_VERSION} SOVERSION 0)

if(NOT MEMLINE_RUNTIME_ONLY)
  find_package(CLI11 REQUIRED)
  find_package(nlohmann_json REQUIRED)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/cli/*.cpp)
  list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/src/cli/main.cpp)
  add_library(memline_cli STATIC ${sources})
  target_link_libraries(memline_cli PUBLIC memline memline_base CLI11::CLI11 nlohmann_json::nlohmann_json)
  add_executable(memline_program ${CMAKE_SOURCE_DIR}/src/cli/main.cpp)
  target_link_libraries(memline_program PRIVATE memline_cli)
  set_target_properties(memline_program PROPERTIES OUTPUT_NAME memline RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
                                                   BUILD_RPATH_USE_ORIGIN ON)
endif()
