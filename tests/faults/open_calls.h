// The four calls that open a file, in terms of one: include this behind
//   static int open_at(int folder, const char* path, int flags, va_list list);
#define OPEN(name, folder_parameter, folder)                    \
  int name(folder_parameter const char* path, int flags, ...) { \
    va_list list;                                               \
    va_start(list, flags);                                      \
    int fd = open_at(folder, path, flags, list);                \
    va_end(list);                                               \
    return fd;                                                  \
  }
#define COMMA ,
OPEN(open, , AT_FDCWD)
OPEN(open64, , AT_FDCWD)
OPEN(openat, int folder COMMA, folder)
OPEN(openat64, int folder COMMA, folder)
