// System calls that Glibc hides from Swift (variadic ones, and those behind _GNU_SOURCE), and those with addresses
// of sockets, whose kind Swift can only assume.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PAWL_O_TMPFILE (020000000 | O_DIRECTORY)
// Swift does not import the macro, which is an expression.
static const int pawl_o_tmpfile = PAWL_O_TMPFILE;
#define PAWL_O_PATH 010000000
#define PAWL_RENAME_NOREPLACE 1
#define PAWL_FALLOC_KEEP_SIZE 1
#define PAWL_FALLOC_PUNCH_HOLE 2
// Swift does not import these macros, which are expressions.
static const long pawl_utime_now = UTIME_NOW;
static const long pawl_utime_omit = UTIME_OMIT;
#define PAWL_SEEK_DATA 3
#define PAWL_SEEK_HOLE 4

// The port of a socket's own address, whose kind is IPv4 or IPv6; -1 if it has none.
static inline int pawl_socket_port(int socket) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) return -1;
    // Both kinds have the port at the same offset.
    return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

// A file in memory, which no other program inherits.
static inline int pawl_memory_file(void) { return (int)syscall(SYS_memfd_create, "pawl", 1 /* MFD_CLOEXEC */); }

// A descriptor that becomes readable when the process ends (pidfd_open(2)); closed by execve(2).
static inline int pawl_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0u); }

static inline int pawl_renameat2(
    int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

// openat2(2) of a folder: no symbolic link, no `..` and no mount by /proc leads out of `folder`.
static inline int pawl_open_folder_beneath(int folder, const char *path) {
    struct {
        uint64_t flags, mode, resolve;
    } how = {PAWL_O_PATH | O_DIRECTORY | O_CLOEXEC, 0, 0x08 /* BENEATH */ | 0x02 /* NO_MAGICLINKS */};
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}

// To name what is in it, and nothing else.
static inline int pawl_open_place(const char *path) {
    return open(path, PAWL_O_PATH | O_DIRECTORY | O_CLOEXEC);
}

// When a file was made (statx(2)); 0 where its file system does not know it.
static inline int64_t pawl_birth_time(int file) {
    struct {
        uint32_t mask, others[19];
        int64_t birth_seconds;
        uint32_t birth_nanoseconds, rest[41];
    } status;
    const unsigned empty_path = 0x1000, birth_time = 0x800;
    if (syscall(SYS_statx, file, "", empty_path, birth_time, &status) != 0) return 0;
    if ((status.mask & birth_time) == 0) return 0;
    return (int64_t)((uint64_t)status.birth_seconds * 1000000000u + status.birth_nanoseconds);
}

static inline int pawl_fallocate(int file, int mode, int64_t offset, int64_t length) {
    return (int)syscall(SYS_fallocate, file, mode, offset, length);
}

// As much as the file systems can do by themselves; both files' own positions stay as they are.
static inline int64_t pawl_copy_file_range(
    int from, int64_t from_offset, int to, int64_t to_offset, size_t count) {
    return syscall(SYS_copy_file_range, from, &from_offset, to, &to_offset, count, 0u);
}

// Has the disk begin to write what is dirty of the file; waits for none of it.
static inline int pawl_start_writeback(int file) {
    return (int)syscall(SYS_sync_file_range, file, (int64_t)0, (int64_t)0, 2);
}

static inline int pawl_open(const char *path, int flags, mode_t mode) {
    return open(path, flags, mode);
}

// Columns and rows of the terminal behind a descriptor; -1 where it is none.
static inline int pawl_terminal_size(int file, unsigned *columns, unsigned *rows) {
    struct winsize size;
    if (ioctl(file, TIOCGWINSZ, &size) != 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

// At most 15 bytes of the name are kept.
static inline void pawl_name_this_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Blocks signals on this thread, except those of faults, so that the program's own threads receive them, and that a write
// to a closed connection is an error.
static inline void pawl_block_signals(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t signals;
    sigfillset(&signals);
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) sigdelset(&signals, faults[i]);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
}
