# A room is a folder under src/: one static library, every .cpp in it. It has doors, the headers that
# others may include, and it uses only rooms that stand before it in src/CMakeLists.txt. Both are
# enforced: another room's private header is not on any include path, and a room that names a room
# which is unknown or stands above it does not configure. A QUICK room is compiled with less
# optimisation: a third less time, in rooms that no run waits for; with sanitizers, which slow the
# compiler more than the program, with none.

add_library(minpair_options INTERFACE)
target_compile_features(minpair_options INTERFACE cxx_std_20)
target_compile_options(minpair_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor
                       -Woverloaded-virtual -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives: on std::string (GCC's bug 105329 and its relatives), and on views that are
  # returned by value.
  target_compile_options(minpair_options INTERFACE -Wno-restrict -Wno-array-bounds
                         -Wno-stringop-overflow -Wno-stringop-overread)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(minpair_options INTERFACE -Wno-dangling-reference)
  endif()
else()
  # Single files turn off warnings that only GCC has.
  target_compile_options(minpair_options INTERFACE -Wno-unknown-warning-option)
endif()
# No contraction of a*b+c and no reassociation: scores are the same bits on every machine and build.
target_compile_options(minpair_options INTERFACE -ffp-contract=off)
if(MINPAIR_WERROR)
  target_compile_options(minpair_options INTERFACE -Werror)
endif()
set(MINPAIR_SANITIZE "" CACHE STRING "Sanitizers for the whole build: address,undefined or thread")
if(MINPAIR_FUZZ)
  target_compile_options(minpair_options INTERFACE -fsanitize=fuzzer-no-link)
  set(MINPAIR_SANITIZE address,undefined)
endif()
if(MINPAIR_SANITIZE)
  # A double that an integer cannot hold is undefined, and not among what 'undefined' finds.
  set(sanitizers ${MINPAIR_SANITIZE})
  if(MINPAIR_SANITIZE MATCHES "undefined")
    string(APPEND sanitizers ",float-cast-overflow")
  endif()
  target_compile_options(minpair_options INTERFACE -fsanitize=${sanitizers}
                         -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(minpair_options INTERFACE -fsanitize=${sanitizers})
endif()
# How a QUICK room, and what runs only briefly (the commands, the tests), is compiled. A sanitizer takes more of the compiler's
# time than of the tests'; fuzz targets run for long.
if(MINPAIR_SANITIZE AND NOT MINPAIR_FUZZ)
  set(MINPAIR_CHECKED TRUE)
  set(MINPAIR_QUICKLY -O0)
  set(MINPAIR_BRIEFLY -O0)
else()
  set(MINPAIR_QUICKLY $<$<CONFIG:Release>:-O1>)
  set(MINPAIR_BRIEFLY $<$<CONFIG:Release>:-O0> $<$<CONFIG:Release>:-g0>)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # What a distribution builds with: an error that gets past everything else ends the program.
  target_compile_options(minpair_options INTERFACE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  target_link_options(minpair_options INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# Headers that most files read are compiled once for each kind of build: a third of all compile time.
option(MINPAIR_PRECOMPILE "Precompile common headers" ON)
set(MINPAIR_COMMON_HEADERS <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional>
    <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility>
    <variant> <vector> <fmt/format.h> <nlohmann/json.hpp>)
if(MINPAIR_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(minpair_options INTERFACE -fpch-preprocess)  # for ccache
elseif(MINPAIR_PRECOMPILE)
  target_compile_options(minpair_options INTERFACE "SHELL:-Xclang -fno-pch-timestamp")  # for ccache
endif()

# minpair_precompile(target headers...): its own, or those of another target with the same flags.
function(minpair_precompile target)
  if(NOT MINPAIR_PRECOMPILE)
    return()
  endif()
  if(ARGV1 STREQUAL "LIKE" AND NOT ARGV2 STREQUAL target)
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    list(REMOVE_ITEM ARGN LIKE ${target})
    target_precompile_headers(${target} PRIVATE ${MINPAIR_COMMON_HEADERS} ${ARGN})
  endif()
endfunction()

set(MINPAIR_ROOMS_DIR ${CMAKE_BINARY_DIR}/rooms)
set_property(GLOBAL PROPERTY MINPAIR_ROOMS "")

# Every include of another room in `files` is one of its doors, and the room is among those used.
function(minpair_check_includes room uses)
  foreach(file ${ARGN})
    file(STRINGS ${file} lines REGEX "^#include \"[^\"]+/[^\"]+\"")
    foreach(line ${lines})
      string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" header "${line}")
      string(REGEX REPLACE "/.*" "" other "${header}")
      if(other STREQUAL room)
        continue()
      endif()
      if(NOT other IN_LIST uses)
        message(FATAL_ERROR "${file}: includes \"${header}\", but src/CMakeLists.txt does not say that "
                "${room} uses ${other}. Rooms only look down.")
      endif()
      get_property(doors GLOBAL PROPERTY MINPAIR_DOORS_${other})
      string(LENGTH "${other}/" length)
      string(SUBSTRING "${header}" ${length} -1 inside)
      if(NOT inside IN_LIST doors)
        message(FATAL_ERROR "${file}: \"${header}\" is private to ${other}. Its doors: ${doors}")
      endif()
    endforeach()
  endforeach()
endfunction()

# minpair_room(name DOORS headers... USES rooms-below... LINKS libraries...)
function(minpair_room name)
  cmake_parse_arguments(room "QUICK" "" "DOORS;USES;LINKS" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  get_property(rooms GLOBAL PROPERTY MINPAIR_ROOMS)
  foreach(below ${room_USES})
    if(NOT below IN_LIST rooms)
      message(FATAL_ERROR "room ${name} uses ${below}, which is not among the rooms below it: ${rooms}")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY MINPAIR_ROOMS ${name})
  set_property(GLOBAL PROPERTY MINPAIR_DOORS_${name} ${room_DOORS})
  set_property(GLOBAL PROPERTY MINPAIR_USES_${name} ${room_USES})

  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.h ${folder}/*.inc)
  list(FILTER files EXCLUDE REGEX "/mpi/")
  minpair_check_includes(${name} "${room_USES}" ${files})

  # Links to the doors, and for the room itself to everything.
  foreach(door ${room_DOORS})
    if(NOT EXISTS ${folder}/${door})
      message(FATAL_ERROR "room ${name} has no ${door}")
    endif()
    get_filename_component(path ${MINPAIR_ROOMS_DIR}/doors/${name}/${name}/${door} DIRECTORY)
    file(MAKE_DIRECTORY ${path})
    file(CREATE_LINK ${folder}/${door} ${MINPAIR_ROOMS_DIR}/doors/${name}/${name}/${door} SYMBOLIC)
  endforeach()
  file(MAKE_DIRECTORY ${MINPAIR_ROOMS_DIR}/own/${name})
  file(CREATE_LINK ${folder} ${MINPAIR_ROOMS_DIR}/own/${name}/${name} SYMBOLIC)

  list(FILTER files INCLUDE REGEX "\\.cpp$")
  if(files)
    add_library(minpair_${name} STATIC ${files})
    set(access PUBLIC)
    target_include_directories(minpair_${name} PRIVATE ${MINPAIR_ROOMS_DIR}/own/${name})
    if(room_QUICK)
      target_compile_options(minpair_${name} PRIVATE ${MINPAIR_QUICKLY})
    endif()
    # What was precompiled at one -O is not read at another, but by older compilers of GNU.
    if(room_QUICK AND MINPAIR_CHECKED)
      minpair_precompile(minpair_${name} LIKE minpair_checkpoint)  # the first of them
    elseif(NOT room_QUICK OR NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      minpair_precompile(minpair_${name} LIKE minpair_base)
    endif()
  else()
    add_library(minpair_${name} INTERFACE)
    set(access INTERFACE)
  endif()
  target_include_directories(minpair_${name} ${access} ${MINPAIR_ROOMS_DIR}/doors/${name})
  target_link_libraries(minpair_${name} ${access} minpair_options ${room_LINKS})
  foreach(below ${room_USES})
    target_link_libraries(minpair_${name} ${access} minpair_${below})
  endforeach()
endfunction()

# Programs that look into rooms (tests, fuzz targets, benches) see the private headers of those named.
function(minpair_inside target)
  foreach(room ${ARGN})
    target_include_directories(${target} PRIVATE ${MINPAIR_ROOMS_DIR}/own/${room})
    target_link_libraries(${target} PRIVATE minpair_${room})
  endforeach()
endfunction()

# What the build knows of the rooms, for the test that holds docs/architecture.md to it.
function(minpair_write_rooms)
  get_property(rooms GLOBAL PROPERTY MINPAIR_ROOMS)
  set(lines "")
  foreach(room ${rooms})
    get_property(doors GLOBAL PROPERTY MINPAIR_DOORS_${room})
    get_property(uses GLOBAL PROPERTY MINPAIR_USES_${room})
    list(JOIN doors " " doors)
    list(JOIN uses " " uses)
    string(APPEND lines "${room}\t${doors}\t${uses}\n")
  endforeach()
  file(WRITE ${MINPAIR_ROOMS_DIR}/rooms.tsv "${lines}")
endfunction()
