// libpq for Swift, and what its threads need.
#pragma once
#include <errno.h>
#include <libpq-fe.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>

// Swift does not import these macros, which are characters.
static const int pawl_pg_state = PG_DIAG_SQLSTATE;
static const int pawl_pg_severity = PG_DIAG_SEVERITY_NONLOCALIZED;
static const int pawl_pg_message = PG_DIAG_MESSAGE_PRIMARY;
static const int pawl_pg_constraint = PG_DIAG_CONSTRAINT_NAME;

// Returns a descriptor that `pawl_pg_wake` makes readable, and that programs started later do not inherit; negative if
// the system has none left.
static inline int pawl_pg_event(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

static inline void pawl_pg_wake(int event) { (void)eventfd_write(event, 1); }

// Makes the descriptor unreadable until the next `pawl_pg_wake`.
static inline void pawl_pg_clear(int event) {
    eventfd_t count;
    (void)eventfd_read(event, &count);
}

// glibc declares this function only with GNU's extensions.
extern int sem_clockwait(sem_t *, clockid_t, const struct timespec *);

// Waits for a semaphore, at most this time. Neither signals nor changes of the system's clock make the wait longer.
static inline void pawl_pg_wait(sem_t *semaphore, int64_t nanoseconds) {
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t rest = nanoseconds % 1000000000 + end.tv_nsec;
    end.tv_sec += nanoseconds / 1000000000 + rest / 1000000000;
    end.tv_nsec = rest % 1000000000;
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &end) != 0 && errno == EINTR) {}
}
