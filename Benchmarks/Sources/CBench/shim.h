// System calls that Glibc hides from Swift: variadic functions, and those that need _GNU_SOURCE.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A descriptor that becomes readable when the process ends.
static inline int bench_open_process(pid_t process) {
    return (int)syscall(SYS_pidfd_open, process, 0);
}

// The child shares unchanged memory with this process, so its peak begins low. With `posix_spawn`,
// the peak would begin at the whole memory of this process.
static inline pid_t bench_fork(void) { return fork(); }

// Has the kernel send this process the signal when its parent ends.
static inline int bench_end_with_parent(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

static inline int bench_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}

// Moves this thread into the network namespace behind `path`.
static inline int bench_enter_network(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    int result = (int)syscall(SYS_setns, file, 0x40000000 /* CLONE_NEWNET */);
    close(file);
    return result;
}

// Opens the TUN device `name` in this thread's network namespace, for IP packets and without
// blocking.
static inline int bench_open_tunnel(const char *name) {
    struct ifreq request;
    int file = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return -1;
    memset(&request, 0, sizeof request);
    request.ifr_flags = IFF_TUN | IFF_NO_PI;
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    if (ioctl(file, TUNSETIFF, &request) == 0) return file;
    close(file);
    return -1;
}

// `poll` with a limit in nanoseconds; a negative limit waits forever.
static inline int bench_poll(struct pollfd *entries, int count, int64_t nanoseconds) {
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    return (int)syscall(SYS_ppoll, entries, count, nanoseconds < 0 ? 0 : &limit, 0, 0);
}

// The event of <sys/epoll.h>, which Swift cannot import because its `data` is a union.
struct bench_epoll_event {
    uint32_t events;
    uint64_t number;
}
#ifdef __x86_64__
__attribute__((packed))
#endif
;

static inline int bench_epoll_open(void) {
    return (int)syscall(SYS_epoll_create1, O_CLOEXEC);
}

// Watches a descriptor for bytes to read, under a number chosen by the caller.
static inline int bench_epoll_add(int epoll, int descriptor, uint64_t number) {
    struct bench_epoll_event event = {1 /* EPOLLIN */, number};
    return (int)syscall(SYS_epoll_ctl, epoll, 1 /* EPOLL_CTL_ADD */, descriptor, &event);
}

// Returns the numbers of descriptors that can be read or have failed; waits up to `nanoseconds`.
static inline int bench_epoll_wait(int epoll, uint64_t *numbers, int count, int64_t nanoseconds) {
    struct bench_epoll_event events[256];
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (count > 256) count = 256;
    int found = (int)syscall(SYS_epoll_pwait2, epoll, events, count, &limit, 0, 0);
    for (int index = 0; index < found; index++) numbers[index] = events[index].number;
    return found;
}

// The same as memmem(3), which Glibc also hides from Swift.
static inline int64_t bench_find(
    const void *bytes, int64_t count, const void *sought, int64_t length
) {
    for (int64_t index = 0; index + length <= count; index++) {
        const char *first = (const char *)bytes + index;
        const char *found = (const char *)memchr(first, *(const char *)sought, count - index);
        if (!found) return -1;
        index = found - (const char *)bytes;
        if (index + length <= count && memcmp(found, sought, length) == 0) return index;
    }
    return -1;
}
