# What is installed, and the Debian packages. Man pages and completions are written by the program itself.
include(GNUInstallDirs)
set(MINPAIR_MAINTAINER "minpair maintainers <minpair@example.org>" CACHE STRING "Who answers for the Debian package")
set(made ${CMAKE_BINARY_DIR}/made)
set(changelog ${made}/changelog)
configure_file(packaging/changelog.in ${changelog} @ONLY)

add_custom_command(OUTPUT ${made}/done
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${made}/man
  COMMAND minpair manual ${made}/man
  COMMAND sh -c "gzip -9nf ${made}/man/*.1"
  COMMAND minpair completion bash > ${made}/minpair.bash
  COMMAND minpair completion zsh > ${made}/_minpair
  COMMAND minpair completion fish > ${made}/minpair.fish
  COMMAND sh -c "gzip -9nc ${changelog} > ${made}/changelog.gz"
  COMMAND ${CMAKE_COMMAND} -E touch ${made}/done
  DEPENDS minpair ${changelog} VERBATIM COMMENT "Writing man pages and completions")
add_custom_target(manual ALL DEPENDS ${made}/done)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME minpair)
install(TARGETS minpair RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS libminpair LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/minpair.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY suites models languages published DESTINATION ${CMAKE_INSTALL_DATADIR}/minpair PATTERN train.sh EXCLUDE)
install(DIRECTORY ${made}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${made}/minpair.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME minpair)
install(FILES ${made}/_minpair DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${made}/minpair.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES packaging/copyright ${made}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/minpair)
if(TARGET minpair-mpi)
  install(FILES packaging/copyright ${made}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/minpair-mpi COMPONENT mpi)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/build)
set(CPACK_PACKAGE_CONTACT ${MINPAIR_MAINTAINER})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL minpair)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_MINPAIR_PACKAGE_NAME minpair)
set(CPACK_DEBIAN_MINPAIR_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/triggers)
set(CPACK_DEBIAN_MINPAIR_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_MINPAIR_PACKAGE_SUGGESTS "minpair-mpi, librsvg2-bin")
set(CPACK_DEBIAN_MINPAIR_DESCRIPTION "minimal pairs, scored with language models
 Builds suites of minimal pairs, scores them with masked, causal, recurrent
 and n-gram language models on an ordinary CPU, and prints the tables that a
 paper would print, with every sentence behind them. Two small German models
 come with it.")
if(TARGET minpair-mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME minpair-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "minpair (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_MPI_DESCRIPTION "minimal pairs, scored by many machines at once
 The part of minpair that lets 'mpirun minpair run' share one run among the
 processes of a cluster.")
endif()
include(CPack)
