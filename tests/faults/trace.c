// Preloaded: $TRACE gets a line "WHAT<tab>PATH" for each call that can create, change or remove a file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void note(const char* what, int folder, const char* path) {
  static int to = -1;
  if (to < 0) {
    const char* name = getenv("TRACE");
    if (!name) return;
    to = (int)syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  }
  char place[PATH_MAX] = "", line[3 * PATH_MAX], link[64];
  if (path[0] != '/') {
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    ssize_t n = folder == AT_FDCWD ? (getcwd(place, sizeof place) ? (ssize_t)strlen(place) : 0)
                                   : readlink(link, place, sizeof place - 1);
    place[n > 0 ? n : 0] = 0;
  }
  int n = snprintf(line, sizeof line, "%s\t%s%s%s\n", what, place, place[0] ? "/" : "", path);
  (void)!syscall(SYS_write, to, line, (size_t)n);
}

static int open_at(int folder, const char* path, int flags, va_list list) {
  int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, int) : 0;
  if ((flags & O_TMPFILE) == O_TMPFILE)
    note("unnamed", folder, path);
  else if ((flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC))
    note("write", folder, path);
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
#include "open_calls.h"
#define FOPEN(name)                                               \
  FILE* name(const char* path, const char* mode) {                \
    static FILE* (*real)(const char*, const char*);               \
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, #name);          \
    if (strpbrk(mode, "wa+")) note("write", AT_FDCWD, path);      \
    return real(path, mode);                                      \
  }
FOPEN(fopen)
FOPEN(fopen64)

int unlink(const char* path) {
  note("remove", AT_FDCWD, path);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int unlinkat(int folder, const char* path, int flags) {
  note("remove", folder, path);
  return (int)syscall(SYS_unlinkat, folder, path, flags);
}
int rmdir(const char* path) {
  note("remove", AT_FDCWD, path);
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}
int remove(const char* path) { return unlink(path) == 0 ? 0 : rmdir(path); }
int rename(const char* from, const char* to) {
  note("remove", AT_FDCWD, from);
  note("write", AT_FDCWD, to);
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat(int a, const char* from, int b, const char* to) {
  note("remove", a, from);
  note("write", b, to);
  return (int)syscall(SYS_renameat2, a, from, b, to, 0);
}
int truncate(const char* path, off_t size) {
  note("write", AT_FDCWD, path);
  return (int)syscall(SYS_truncate, path, size);
}
int truncate64(const char* path, off64_t size) { return truncate(path, size); }
int linkat(int a, const char* from, int b, const char* to, int flags) {
  note("write", b, to);
  return (int)syscall(SYS_linkat, a, from, b, to, flags);
}
int link(const char* from, const char* to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }
int symlinkat(const char* from, int folder, const char* to) {
  note("write", folder, to);
  return (int)syscall(SYS_symlinkat, from, folder, to);
}
int symlink(const char* from, const char* to) { return symlinkat(from, AT_FDCWD, to); }
int mkdirat(int folder, const char* path, mode_t mode) {
  note("write", folder, path);
  return (int)syscall(SYS_mkdirat, folder, path, mode);
}
int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
int fchmodat(int folder, const char* path, mode_t mode, int flags) {
  note("write", folder, path);
  return (int)syscall(SYS_fchmodat, folder, path, mode, flags);
}
int chmod(const char* path, mode_t mode) { return fchmodat(AT_FDCWD, path, mode, 0); }
int mkostemp(char* name, int flags) {
  static int (*real)(char*, int);
  if (!real) *(void**)&real = dlsym(RTLD_NEXT, "mkostemp");
  note("unnamed", AT_FDCWD, ".");
  return real(name, flags);
}
