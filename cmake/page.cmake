# The page behind `minpair page`: bundled by npm when it is there, and put into the program.
set(MINPAIR_PAGE AUTO CACHE STRING "Build the page of `minpair page` (needs npm): AUTO, ON or OFF")
find_program(NPM npm)
find_program(NODE NAMES node nodejs)
if(MINPAIR_PAGE STREQUAL "ON" AND NOT (NPM AND NODE))
  message(FATAL_ERROR "MINPAIR_PAGE=ON needs npm: tools/bootstrap.sh web")
endif()

# minpair_page(target source): the source embeds the page, when it can be built.
function(minpair_page target source)
  if(MINPAIR_PAGE STREQUAL "OFF" OR NOT TARGET ${target})
    return()
  endif()
  if(NOT NPM OR NOT NODE)
    message(STATUS "Without npm: there will be no page, so no `minpair page` and no `serve` (tools/bootstrap.sh web)")
    return()
  endif()
  set(web ${CMAKE_BINARY_DIR}/web)
  # Packages are installed once, beside a copy of what names them: the source tree stays clean.
  if(NOT EXISTS ${web}/installed OR ${CMAKE_SOURCE_DIR}/web/package-lock.json IS_NEWER_THAN ${web}/installed)
    message(STATUS "Installing what the page is built with")
    file(COPY ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json
         ${CMAKE_SOURCE_DIR}/web/.npmrc DESTINATION ${web})
    execute_process(COMMAND ${NPM} ci --ignore-scripts --no-progress --fetch-retries=1 WORKING_DIRECTORY ${web}
                    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why TIMEOUT 300)
    if(failed)
      if(MINPAIR_PAGE STREQUAL "ON")
        message(FATAL_ERROR "npm ci failed: ${why}")
      endif()
      string(REGEX REPLACE "^.*code ([A-Z_0-9]+).*$" "\\1" code "${why}")
      message(STATUS "npm ci failed: ${why}")
      message(STATUS "Without npm's registry (${code}) there will be no page, so no `minpair page` and no `serve`")
      return()
    endif()
    file(TOUCH ${web}/installed)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
  set(page ${web}/page.html)
  add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E copy_directory ${CMAKE_SOURCE_DIR}/web/src ${web}/src
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/tsconfig.json ${web}
    COMMAND ${NODE} build.mjs ${page}
    WORKING_DIRECTORY ${web} DEPENDS ${sources} ${CMAKE_SOURCE_DIR}/web/build.mjs
    COMMENT "Bundling the page")
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${page}
    COMPILE_DEFINITIONS "MINPAIR_PAGE=\"${page}\"")
endfunction()
