// Preloaded: makes the n-th call of one kind fail, to see what a program does then.
//   FAULT_CALL  write, sync, open, mmap, malloc, thread or socket
//   FAULT_AT    which one, from 1; 0: none, only count
//   FAULT_KEEP  set: that one and all after it, as on a disk that stays full
//   FAULT_COUNT a file that gets how many there were
//   FAULT_SITES a file that gets a line for each allocation: a hash of who asked for it
//   FAULT_SERVE set: for each line "AT KEEP FOLDER" of standard input a child runs the program in that folder, with its
//               output in FOLDER.out and FOLDER.err, and standard output gets how it ended. Loading is done once
// A crash says where it was.
// Calls are counted from main() to its end: what the loader does before is not ours.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWrite, kSync, kOpen, kMmap, kMalloc, kThread, kSocket, kKinds };
static const char* const kNames[] = {"write", "sync", "open", "mmap", "malloc", "thread", "socket"};

static atomic_int armed;
static atomic_long calls;
static int wanted = -1, keep;
static long at;

// Who calls, as far up as matters: the same way through the program has the same hash.
enum { kFrames = 16, kMostSites = 1 << 20 };
static uint64_t* sites;
static uint64_t caller(void) {
  static __thread int inside;  // the unwinder allocates, too
  if (inside) return 0;
  inside = 1;
  void* frames[kFrames];
  const int n = backtrace(frames, kFrames);
  uint64_t hash = 1469598103934665603u;
  for (int i = 2; i < n; ++i) hash = (hash ^ (uint64_t)frames[i]) * 1099511628211u;
  inside = 0;
  return hash;
}

static int fails(int kind, int error) {
  if (kind != wanted || !atomic_load(&armed)) return 0;
  long n = atomic_fetch_add(&calls, 1) + 1;
  if (sites && n <= kMostSites) sites[n - 1] = caller();
  if (at == 0 || (keep ? n < at : n != at)) return 0;
  errno = error;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Messages are not results: a standard error that fails is tested elsewhere.
ssize_t write(int fd, const void* bytes, size_t n) {
  if (fd != 2 && fails(kWrite, ENOSPC)) return -1;
  return syscall(SYS_write, fd, bytes, n);
}
ssize_t pwrite(int fd, const void* bytes, size_t n, off_t to) {
  if (fails(kWrite, ENOSPC)) return -1;
  return syscall(SYS_pwrite64, fd, bytes, n, to);
}
ssize_t pwrite64(int fd, const void* bytes, size_t n, off64_t to) { return pwrite(fd, bytes, n, to); }
int ftruncate(int fd, off_t size) {
  if (fails(kWrite, EIO)) return -1;
  return (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int rename(const char* from, const char* to) {
  if (fails(kWrite, EIO)) return -1;
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int fsync(int fd) {
  if (fails(kSync, EIO)) return -1;
  return (int)syscall(SYS_fsync, fd);
}
int fdatasync(int fd) {
  if (fails(kSync, EIO)) return -1;
  return (int)syscall(SYS_fdatasync, fd);
}
static int open_at(int folder, const char* path, int flags, va_list list) {
  int mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(list, int) : 0;
  if (fails(kOpen, EMFILE)) return -1;
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}
#include "open_calls.h"
FILE* fopen(const char* path, const char* mode) {
  return fails(kOpen, EMFILE) ? NULL : REAL(fopen)(path, mode);
}
DIR* opendir(const char* path) { return fails(kOpen, EMFILE) ? NULL : REAL(opendir)(path); }
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
void* mmap(void* where, size_t n, int protection, int flags, int fd, off_t from) {
  if (fails(kMmap, ENOMEM)) return MAP_FAILED;
  return (void*)syscall(SYS_mmap, where, n, protection, flags, fd, from);
}
void* mmap64(void* where, size_t n, int protection, int flags, int fd, off64_t from) {
  return mmap(where, n, protection, flags, fd, from);
}

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void* malloc(size_t n) { return fails(kMalloc, ENOMEM) ? NULL : __libc_malloc(n); }
void* calloc(size_t n, size_t m) { return fails(kMalloc, ENOMEM) ? NULL : __libc_calloc(n, m); }
void* realloc(void* p, size_t n) { return fails(kMalloc, ENOMEM) ? NULL : __libc_realloc(p, n); }
void* aligned_alloc(size_t a, size_t n) {
  return fails(kMalloc, ENOMEM) ? NULL : __libc_memalign(a, n);
}
int posix_memalign(void** to, size_t a, size_t n) {
  return (*to = aligned_alloc(a, n)) ? 0 : ENOMEM;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) {
  if (fails(kThread, EAGAIN)) return EAGAIN;
  return REAL(pthread_create)(thread, how, work, with);
}
int socket(int domain, int type, int protocol) {
  return fails(kSocket, EMFILE) ? -1 : (int)syscall(SYS_socket, domain, type, protocol);
}
int bind(int fd, const struct sockaddr* to, socklen_t n) {
  return fails(kSocket, EADDRINUSE) ? -1 : (int)syscall(SYS_bind, fd, to, n);
}
int listen(int fd, int waiting) {
  return fails(kSocket, EADDRINUSE) ? -1 : (int)syscall(SYS_listen, fd, waiting);
}
int setsockopt(int fd, int level, int name, const void* value, socklen_t n) {
  return fails(kSocket, EINVAL) ? -1 : (int)syscall(SYS_setsockopt, fd, level, name, value, n);
}

int accept(int fd, struct sockaddr* from, socklen_t* n) {
  return fails(kSocket, EMFILE) ? -1 : (int)syscall(SYS_accept, fd, from, n);
}
ssize_t recv(int fd, void* to, size_t n, int flags) {
  return fails(kSocket, ECONNRESET) ? -1 : syscall(SYS_recvfrom, fd, to, n, flags, NULL, NULL);
}
ssize_t recvmsg(int fd, struct msghdr* to, int flags) {
  return fails(kSocket, ECONNRESET) ? -1 : syscall(SYS_recvmsg, fd, to, flags);
}
ssize_t send(int fd, const void* from, size_t n, int flags) {
  return fails(kSocket, EPIPE) ? -1 : syscall(SYS_sendto, fd, from, n, flags, NULL, 0);
}
ssize_t sendmsg(int fd, const struct msghdr* from, int flags) {
  return fails(kSocket, EPIPE) ? -1 : syscall(SYS_sendmsg, fd, from, flags);
}
// Not epoll_ctl: Asio takes it for granted.
int epoll_create1(int flags) {
  return fails(kSocket, EMFILE) ? -1 : (int)syscall(SYS_epoll_create1, flags);
}
int eventfd(unsigned count, int flags) {
  return fails(kSocket, EMFILE) ? -1 : (int)syscall(SYS_eventfd2, count, flags);
}
int getsockname(int fd, struct sockaddr* to, socklen_t* n) {
  return fails(kSocket, ENOBUFS) ? -1 : (int)syscall(SYS_getsockname, fd, to, n);
}

static void write_sites(const char* to) {
  FILE* file = REAL(fopen)(to, "w");
  if (!file) return;
  for (long i = 0; i < (long)calls && i < kMostSites; ++i)
    fprintf(file, "%016llx\n", (unsigned long long)sites[i]);
  fclose(file);
}

static void tell_where(int signal_number) {
  atomic_store(&armed, 0);
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), 2);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

enum { kSeconds = 120 };  // of a run that hangs

// Ends with the input; in each child it returns.
static void serve_trials(void) {
  char line[4096], path[4096 + 8];
  for (ssize_t n; (n = read(0, line, sizeof line - 1)) > 0;) {
    line[n] = 0;
    int name = 0, status = 0;
    if (sscanf(line, "%ld %d %n", &at, &keep, &name) < 2) _exit(2);
    char* folder = line + name;
    folder[strcspn(folder, "\n")] = 0;
    pid_t child = fork();
    if (child == 0) {
      for (int fd = 0; fd <= 2; ++fd) {
        snprintf(path, sizeof path, "%s%s", fd ? folder : "/dev/null", fd == 0 ? "" : fd == 1 ? ".out" : ".err");
        dup2(open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), fd);
      }
      if (chdir(folder) != 0) _exit(2);
      alarm(kSeconds);
      return;
    }
    if (child < 0 || waitpid(child, &status, 0) != child) _exit(2);
    dprintf(1, "%d\n", status);
  }
  _exit(0);
}

static int (*real_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  const char *kind = getenv("FAULT_CALL"), *n = getenv("FAULT_AT"), *to = getenv("FAULT_COUNT");
  for (int i = 0; kind && i < kKinds; ++i)
    if (!strcmp(kind, kNames[i])) wanted = i;
  at = n ? atol(n) : 0;
  keep = getenv("FAULT_KEEP") != NULL;
  const char* sites_to = getenv("FAULT_SITES");
  if (sites_to) {
    sites = REAL(mmap)(NULL, sizeof *sites * kMostSites, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  caller();  // the unwinder sets itself up
  const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof deadly / sizeof *deadly; ++i) signal(deadly[i], tell_where);
  if (getenv("FAULT_SERVE")) serve_trials();
  atomic_store(&armed, 1);
  int status = real_main(argc, argv, environment);
  atomic_store(&armed, 0);
  if (sites) write_sites(sites_to);
  if (to) {
    FILE* file = REAL(fopen)(to, "w");
    if (file) {
      fprintf(file, "%ld\n", (long)calls);
      fclose(file);
    }
  }
  return status;
}
int __libc_start_main(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void), void (*)(void), void*);
int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  real_main = main;
  return REAL(__libc_start_main)(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}
