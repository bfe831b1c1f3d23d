# A room is a folder under src/: one static library, every .cpp in it, dependencies only downwards.

add_library(minpair_options INTERFACE)
target_compile_features(minpair_options INTERFACE cxx_std_20)
target_include_directories(minpair_options INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(minpair_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Woverloaded-virtual -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 on std::string (its bug 105329).
  target_compile_options(minpair_options INTERFACE -Wno-restrict)
endif()
# No contraction of a*b+c and no reassociation: scores are the same bits on every machine and build.
target_compile_options(minpair_options INTERFACE -ffp-contract=off)
if(MINPAIR_WERROR)
  target_compile_options(minpair_options INTERFACE -Werror)
endif()
if(MINPAIR_SANITIZE)
  target_compile_options(minpair_options INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(minpair_options INTERFACE -fsanitize=address,undefined)
endif()
if(MINPAIR_FUZZ)
  target_compile_options(minpair_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined
                         -fno-sanitize-recover=all)
  target_link_options(minpair_options INTERFACE -fsanitize=address,undefined)
endif()

# minpair_room(name rooms-and-libraries-below...)
function(minpair_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(minpair_${name} STATIC ${sources})
  target_link_libraries(minpair_${name} PUBLIC minpair_options)
  foreach(below ${ARGN})
    if(TARGET minpair_${below})
      target_link_libraries(minpair_${name} PUBLIC minpair_${below})
    elseif(NOT below MATCHES "^[a-z]+$" OR NOT IS_DIRECTORY ${CMAKE_SOURCE_DIR}/src/${below})
      target_link_libraries(minpair_${name} PUBLIC ${below})
    endif()
  endforeach()
endfunction()
