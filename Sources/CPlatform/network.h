// rtnetlink(7) and reading from a child, whose headers Swift cannot import as they are.
#pragma once
#ifdef __linux__
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// Links, addresses and routes of both families.
static const uint32_t pawl_netlink_all_groups =
    RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;

static const uint16_t pawl_get_links = RTM_GETLINK;
static const uint16_t pawl_get_addresses = RTM_GETADDR;
static const uint16_t pawl_get_routes = RTM_GETROUTE;
static const int pawl_dont_wait = MSG_DONTWAIT;

// A socket that receives changes in these groups; no call on it takes longer than a second.
static inline int pawl_netlink_open(uint32_t groups) {
    int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (file < 0) return -1;
    struct timeval limit = {.tv_sec = 1};
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
        bind(file, (struct sockaddr *)&address, sizeof address) == 0)
        return file;
    int number = errno;
    close(file);
    errno = number;
    return -1;
}

// Asks the kernel for all entries of a kind: RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE.
static inline int pawl_netlink_ask(int file, uint16_t type, uint8_t family, uint32_t sequence) {
    struct {
        struct nlmsghdr head;
        struct rtgenmsg body;
    } request;
    memset(&request, 0, sizeof request);
    request.head.nlmsg_len = NLMSG_LENGTH(sizeof request.body);
    request.head.nlmsg_type = type;
    request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.head.nlmsg_seq = sequence;
    request.body.rtgen_family = family;
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t sent = sendto(file, &request, request.head.nlmsg_len, 0,
                          (struct sockaddr *)&kernel, sizeof kernel);
    return sent == (ssize_t)request.head.nlmsg_len ? 0 : -1;
}

// Asks the kernel for the route that it has for one address (`ip route get fibmatch`).
static inline int pawl_netlink_ask_way(
    int file, uint8_t family, const void *address, size_t size, uint32_t sequence) {
    struct {
        struct nlmsghdr head;
        struct rtmsg body;
        struct rtattr attribute;
        unsigned char address[16];
    } request;
    if (size > sizeof request.address) return -1;
    memset(&request, 0, sizeof request);
    request.head.nlmsg_len =
        NLMSG_LENGTH(sizeof request.body) + RTA_LENGTH(0) + (uint32_t)size;
    request.head.nlmsg_type = RTM_GETROUTE;
    request.head.nlmsg_flags = NLM_F_REQUEST;
    request.head.nlmsg_seq = sequence;
    request.body.rtm_family = family;
    request.body.rtm_dst_len = (unsigned char)(size * 8);
    // RTM_F_FIB_MATCH: the entry of the table itself, with the length of its prefix.
    request.body.rtm_flags = 0x2000;
    request.attribute.rta_type = RTA_DST;
    request.attribute.rta_len = (unsigned short)RTA_LENGTH(size);
    memcpy(request.address, address, size);
    struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
    ssize_t sent = sendto(file, &request, request.head.nlmsg_len, 0,
                          (struct sockaddr *)&kernel, sizeof kernel);
    return sent == (ssize_t)request.head.nlmsg_len ? 0 : -1;
}

// One datagram; `sender` is 0 for the kernel's. One that is larger than the buffer is EMSGSIZE.
static inline ssize_t pawl_netlink_receive(
    int file, void *buffer, size_t size, int flags, uint32_t *sender) {
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    struct iovec part = {.iov_base = buffer, .iov_len = size};
    struct msghdr message = {
        .msg_name = &address, .msg_namelen = sizeof address, .msg_iov = &part, .msg_iovlen = 1};
    ssize_t count;
    do {
        count = recvmsg(file, &message, flags);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return -1;
    if (message.msg_flags & MSG_TRUNC) {
        errno = EMSGSIZE;
        return -1;
    }
    // Only an address of that kind has the field.
    int is_whole = message.msg_namelen >= sizeof address && address.nl_family == AF_NETLINK;
    *sender = is_whole ? address.nl_pid : UINT32_MAX;
    return count;
}

extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int)
    __attribute__((weak));
extern char **environ;

// Runs a program, searched in PATH, whose output can be read from `*output`. If `uses_terminal` is 0,
// it has no input and no errors to show. 0, or the number of an error.
static inline int pawl_spawn_reader(
    const char *program, char *const arguments[], int uses_terminal, pid_t *child, int *output) {
    int ends[2];
    if (pipe(ends) != 0) return errno;
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!uses_terminal) posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    if (!uses_terminal) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawn_file_actions_addclosefrom_np)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    int number = posix_spawnp(child, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (number != 0) {
        close(ends[0]);
        return number;
    }
    *output = ends[0];
    return 0;
}

// Whether a child has ended; it is still to be reaped.
static inline int pawl_has_ended(pid_t child) {
    siginfo_t status;
    memset(&status, 0, sizeof status);
    return waitid(P_PID, (id_t)child, &status, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           status.si_pid == child;
}

// Waits for a child that has ended or was killed; whether it ended with status 0.
static inline int pawl_reap(pid_t child) {
    int status = 0;
    pid_t result;
    do {
        result = waitpid(child, &status, 0);
    } while (result < 0 && errno == EINTR);
    return result == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
// Starts a program that outlives this one: in a session of its own, with no signal masked, reading
// nothing, writing to `log`, with `ready` as its descriptor `ready_as`. Gives an error number, or 0.
static inline int pawl_spawn_detached(
    const char *program, char *const arguments[], int log, int ready, int ready_as) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0) return code;
    code = posix_spawnattr_init(&attributes);
    if (code != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    // POSIX_SPAWN_SETSID, which headers show only with GNU's extensions.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | 0x80);
    code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, log, 1);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, log, 2);
    if (code == 0) code = posix_spawn_file_actions_adddup2(&actions, ready, ready_as);
    if (code == 0) code = posix_spawn(&child, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}
#endif
