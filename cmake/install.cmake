# cmake --install BUILD --prefix PREFIX: the libraries, the public headers and nothing else, the program (not in runtime-only builds), and
# a package that find_package(memline) finds. Everything is found relative to its own place, so PREFIX may be moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/memline)

install(TARGETS memline EXPORT memline_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT memline_targets FILE memline-targets.cmake NAMESPACE memline:: DESTINATION ${package})
if(TARGET memline_video)
  install(TARGETS memline_video LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(TARGET memline_program)
  set_target_properties(memline_program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS memline_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/include/memline/*.h ${CMAKE_SOURCE_DIR}/include/memline/*.hpp)
if(MEMLINE_RUNTIME_ONLY)
  list(FILTER headers EXCLUDE REGEX "/tools\\.hpp$")
endif()
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/memline)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/memline-config.cmake.in ${CMAKE_BINARY_DIR}/memline-config.cmake
                              INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/memline-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/memline-config.cmake ${CMAKE_BINARY_DIR}/memline-config-version.cmake DESTINATION ${package})
