// SPDX-License-Identifier: Apache-2.0
// A child process: see apart.h. It inherits the memory of the caller as it is, closes every file but
// its own, ignores the signals that end the caller (the caller decides what is kept), and writes no
// core.
#include "io/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HOL_COVERAGE
void __gcov_dump(void);
#endif

// files of the caller would stay open as long as the child lives
static void apart_close_others(int fd) {
#ifdef SYS_close_range
    if ((fd <= 3 || syscall(SYS_close_range, 3U, (unsigned)fd - 1, 0U) == 0) &&
        syscall(SYS_close_range, (unsigned)fd + 1, ~0U, 0U) == 0)
        return;
#endif
    for (int i = 3; i < 1024; i++)
        if (i != fd)
            close(i);
}

static void apart_limit(int seconds) {
    const struct rlimit none = {0, 0}, time = {(rlim_t)seconds, (rlim_t)seconds + 1};
    setrlimit(RLIMIT_CORE, &none);
    if (seconds > 0)
        setrlimit(RLIMIT_CPU, &time);
}

_Noreturn static void apart_child(int fd, void (*work)(int fd, void *user), void *user, int seconds,
                                  const sigset_t *mask) {
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGXCPU, seconds > 0 ? SIG_DFL : SIG_IGN);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    apart_close_others(fd);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
    // the caller says what failed; libraries say more than a user understands
    if (close(STDERR_FILENO) == 0)
        (void)open("/dev/null", O_WRONLY | O_CLOEXEC);
#endif
    apart_limit(seconds);
    work(fd, user);
#ifdef HOL_COVERAGE
    __gcov_dump();
#endif
    _exit(0); // nothing of the caller is flushed or freed
}

int hol_apart_start(HolApart *a, void (*work)(int fd, void *user), void *user, int seconds) {
    int pair[2];
    sigset_t all, before;
    *a = (HolApart){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return errno;
    // no signal reaches the child before it ignores them
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = fork();
    const int reason = errno;
    if (pid == 0)
        apart_child(pair[1], work, user, seconds, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(pair[1]);
    if (pid < 0) {
        close(pair[0]);
        return reason;
    }
    *a = (HolApart){.pid = pid, .fd = pair[0]};
    return 0;
}

int hol_apart_send(int fd, const void *data, size_t size) {
    const char *from = data;
    while (size > 0) {
        const ssize_t n = send(fd, from, size, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return 0;
        from += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 1;
}

int hol_apart_receive(int fd, void *data, size_t size) {
    char *to = data;
    while (size > 0) {
        const ssize_t n = recv(fd, to, size, 0);
        if (n == 0 || (n < 0 && errno != EINTR))
            return 0;
        to += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 1;
}

int hol_apart_ready(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    return poll(&p, 1, 0) > 0;
}

int hol_apart_end(HolApart *a) {
    int status = 0;
    pid_t got;
    if (a->fd >= 0)
        close(a->fd);
    a->fd = -1;
    if (a->pid <= 0)
        return 0;
    do
        got = waitpid((pid_t)a->pid, &status, 0);
    while (got < 0 && errno == EINTR);
    a->pid = 0;
    if (got < 0) // a program that wants no notice of its children
        return 0;
    return WIFSIGNALED(status)                             ? WTERMSIG(status)
           : WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0
                                                           : -1;
}
