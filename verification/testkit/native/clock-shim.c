/*
 * Shifts the wall clock of one running process by the offset in a file; its monotonic clocks stay as they are.
 *
 * HOLDFAST_CLOCK_FILE names a file of at least eight bytes: a signed 64-bit count of microseconds. Preloaded with
 * LD_PRELOAD. It uses system calls: looking up the C library's own functions needs memory, and the clock is read
 * before the process's allocator is ready.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset_us;

__attribute__((constructor)) static void open_offset(void) {
  const char *path = getenv("HOLDFAST_CLOCK_FILE");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *mapped = mmap(NULL, sizeof *offset_us, PROT_READ, MAP_SHARED, file, 0);
  if (mapped != MAP_FAILED) offset_us = mapped;
  close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = (int)syscall(SYS_clock_gettime, clock, now);
  if (result != 0 || !offset_us || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
  int64_t us = (int64_t)now->tv_sec * 1000000 + now->tv_nsec / 1000 + *offset_us;
  now->tv_sec = us / 1000000;
  now->tv_nsec = us % 1000000 * 1000;
  return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *seconds) {
  struct timespec precise;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  if (seconds) *seconds = precise.tv_sec;
  return precise.tv_sec;
}
