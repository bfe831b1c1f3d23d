// The page as the web folder's build made it, inside the program.

#include <string_view>

#include "report/html_parts.h"

#ifdef MINPAIR_PAGE
__asm__(
    ".section .rodata\n"
    ".global minpair_page_begin\n"
    "minpair_page_begin:\n"
    ".incbin \"" MINPAIR_PAGE
    "\"\n"
    ".global minpair_page_end\n"
    "minpair_page_end:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const char minpair_page_begin[], minpair_page_end[];
#endif

namespace minpair::report {

std::string_view page() {
#ifdef MINPAIR_PAGE
  return {minpair_page_begin, size_t(minpair_page_end - minpair_page_begin)};
#else
  return {};
#endif
}

}  // namespace minpair::report
