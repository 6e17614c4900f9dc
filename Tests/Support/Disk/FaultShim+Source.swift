extension FaultShim {
    /// The C source of the library.
    static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <signal.h>
        #include <stdarg.h>
        #include <stdatomic.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <sys/types.h>
        #include <sys/xattr.h>
        #include <unistd.h>

        enum { OPEN, WRITE, PWRITE, FDATASYNC, FSYNC, FTRUNCATE, FALLOCATE, RENAME, LINK, UNLINK,
               ATTRIBUTE, CALLS };
        static const char *const names[CALLS] = {
            "open", "write", "pwrite", "fdatasync", "fsync", "ftruncate", "fallocate", "rename",
            "link", "unlink", "attribute" };
        enum verdict { PASS, FAIL, SHORT, KILL_AFTER };

        static int ready, chosen[CALLS], failure, persists, then_kill;
        static enum verdict action;
        static int kill_before, holds;
        static long number;
        static const char *wanted_path, *count_path, *hold_path;
        static atomic_long seen, seen_by_call[CALLS];

        // Each real function is looked up once; a call before the constructor works too.
        #define REAL(name) \
            static __typeof__(name) *real; \
            if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

        static void choose(char *list) {
            for (char *rest, *name = strtok_r(list, "+", &rest); name;
                 name = strtok_r(NULL, "+", &rest))
                for (int call = 0; call < CALLS; call++)
                    if (!strcmp(name, "any") || !strcmp(name, names[call])) chosen[call] = 1;
        }

        __attribute__((constructor)) static void begin(void) {
            const char *plan = getenv("PAWL_FAULT");
            if (!plan) return;
            char text[512];
            snprintf(text, sizeof text, "%s", plan);
            char *rest, *calls = strtok_r(text, ":", &rest), *what = strtok_r(NULL, ":", &rest);
            char *which = strtok_r(NULL, ":", &rest), *more = strtok_r(NULL, ":", &rest);
            if (!calls || !what || !which) return;
            choose(calls);
            if (!strcmp(what, "short")) action = SHORT;
            else if (!strcmp(what, "kill")) kill_before = 1;
            else if (!strcmp(what, "kill-after")) action = KILL_AFTER;
            else if (!strcmp(what, "hold")) holds = 1;
            else { action = FAIL; failure = atoi(what); }
            number = atol(which);
            persists = more && !strcmp(more, "persists");
            then_kill = more && !strcmp(more, "then-kill");
            wanted_path = getenv("PAWL_FAULT_PATH");
            count_path = getenv("PAWL_FAULT_COUNT");
            hold_path = getenv("PAWL_FAULT_HOLD");
            ready = 1;
        }

        static void die(void) { for (;;) kill(getpid(), SIGKILL); }

        // Waits until the other end of a pipe was opened and is closed.
        static void hold(void) {
            int file;
            do file = open(hold_path, O_RDONLY | O_CLOEXEC);
            while (file < 0 && errno == EINTR);
            if (file < 0) return;
            char byte;
            ssize_t count;
            do count = read(file, &byte, 1);
            while (count > 0 || (count < 0 && errno == EINTR));
            close(file);
        }

        static int concerns_path(const char *path) {
            return !wanted_path || (path && strstr(path, wanted_path));
        }

        static int concerns_file(int file) {
            if (!wanted_path) return 1;
            char link[64], path[4096];
            snprintf(link, sizeof link, "/proc/self/fd/%d", file);
            ssize_t length = readlink(link, path, sizeof path - 1);
            if (length < 0) return 0;
            path[length] = 0;
            return strstr(path, wanted_path) != NULL;
        }

        static enum verdict decide(int call, int concerned) {
            if (!ready || !chosen[call] || !concerned) return PASS;
            atomic_fetch_add(&seen_by_call[call], 1);
            long mine = atomic_fetch_add(&seen, 1) + 1;
            if (number == 0 || mine < number) return PASS;
            if (mine > number && then_kill) die();
            if (mine > number && !persists) return PASS;
            if (kill_before) die();
            if (holds) {
                hold();
                return PASS;
            }
            if (action == FAIL) errno = failure;
            return action;
        }

        #define AROUND(chosen_verdict, type, perform) do { \
            enum verdict outcome = (chosen_verdict); \
            if (outcome == FAIL) return -1; \
            type result = (perform); \
            if (outcome == KILL_AFTER) die(); \
            return result; } while (0)

        static size_t half(size_t count) { return count > 1 ? count / 2 : count; }

        ssize_t write(int file, const void *bytes, size_t count) {
            REAL(write);
            enum verdict decided = decide(WRITE, concerns_file(file));
            AROUND(decided, ssize_t, real(file, bytes, decided == SHORT ? half(count) : count));
        }

        ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
            REAL(pwrite);
            enum verdict decided = decide(PWRITE, concerns_file(file));
            AROUND(decided, ssize_t,
                   real(file, bytes, decided == SHORT ? half(count) : count, offset));
        }

        ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
            return pwrite(file, bytes, count, offset);
        }

        int fdatasync(int file) {
            REAL(fdatasync);
            AROUND(decide(FDATASYNC, concerns_file(file)), int, real(file));
        }

        int fsync(int file) {
            REAL(fsync);
            AROUND(decide(FSYNC, concerns_file(file)), int, real(file));
        }

        int ftruncate(int file, off_t length) {
            REAL(ftruncate);
            AROUND(decide(FTRUNCATE, concerns_file(file)), int, real(file, length));
        }

        int ftruncate64(int file, off64_t length) { return ftruncate(file, length); }

        int fallocate(int file, int mode, off_t offset, off_t length) {
            REAL(fallocate);
            AROUND(decide(FALLOCATE, concerns_file(file)), int, real(file, mode, offset, length));
        }

        int fallocate64(int file, int mode, off64_t offset, off64_t length) {
            return fallocate(file, mode, offset, length);
        }

        // This one returns the number of the error.
        int posix_fallocate(int file, off_t offset, off_t length) {
            REAL(posix_fallocate);
            enum verdict decided = decide(FALLOCATE, concerns_file(file));
            if (decided == FAIL) return failure;
            int result = real(file, offset, length);
            if (decided == KILL_AFTER) die();
            return result;
        }

        int posix_fallocate64(int file, off64_t offset, off64_t length) {
            return posix_fallocate(file, offset, length);
        }

        int openat(int folder, const char *path, int flags, ...) {
            REAL(openat);
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
            va_end(list);
            AROUND(decide(OPEN, concerns_path(path)), int, real(folder, path, flags, mode));
        }

        int open(const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
            va_end(list);
            return openat(AT_FDCWD, path, flags, mode);
        }

        int open64(const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
            va_end(list);
            return openat(AT_FDCWD, path, flags, mode);
        }

        int openat64(int folder, const char *path, int flags, ...) {
            va_list list;
            va_start(list, flags);
            mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
            va_end(list);
            return openat(folder, path, flags, mode);
        }

        int renameat2(int from_folder, const char *from, int to_folder, const char *to,
                      unsigned flags) {
            REAL(renameat2);
            AROUND(decide(RENAME, concerns_path(from) || concerns_path(to)), int,
                   real(from_folder, from, to_folder, to, flags));
        }

        int renameat(int from_folder, const char *from, int to_folder, const char *to) {
            return renameat2(from_folder, from, to_folder, to, 0);
        }

        int rename(const char *from, const char *to) {
            return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
        }

        int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
            REAL(linkat);
            AROUND(decide(LINK, concerns_path(from) || concerns_path(to)), int,
                   real(from_folder, from, to_folder, to, flags));
        }

        int link(const char *from, const char *to) {
            return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
        }

        int unlinkat(int folder, const char *path, int flags) {
            REAL(unlinkat);
            AROUND(decide(UNLINK, concerns_path(path)), int, real(folder, path, flags));
        }

        int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }

        int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
            REAL(fsetxattr);
            AROUND(decide(ATTRIBUTE, concerns_path(name)), int,
                   real(file, name, value, size, flags));
        }

        // Pawl calls renameat2 and fallocate through this one.
        long syscall(long which, ...) {
            REAL(syscall);
            va_list list;
            va_start(list, which);
            long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
            long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
            va_end(list);
            enum verdict decided = PASS;
            if (which == SYS_renameat2)
                decided = decide(
                    RENAME, concerns_path((const char *)b) || concerns_path((const char *)d));
            else if (which == SYS_fallocate)
                decided = decide(FALLOCATE, concerns_file((int)a));
            AROUND(decided, long, real(which, a, b, c, d, e, f));
        }

        __attribute__((destructor)) static void end(void) {
            if (!ready || !count_path) return;
            ready = 0;
            FILE *file = fopen(count_path, "w");
            if (!file) return;
            for (int call = 0; call < CALLS; call++)
                fprintf(file, "%s %ld\n", names[call], (long)seen_by_call[call]);
            fclose(file);
        }

        // Destructors do not run then.
        __attribute__((noreturn)) void _exit(int status) {
            end();
            for (;;) syscall(SYS_exit_group, status);
        }
        """#
}
