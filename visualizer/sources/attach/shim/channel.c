/* The socket to the server: one message a question, one an answer, and files handed over with them.

Files have no name and messages no length limit worth naming, so nothing is left behind by whoever is killed. One
question at a time: another thread's waits its turn, and none is held while a kernel runs. */
#include "shim.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ENVIRONMENT "PHASESCOPE_ATTACH"
enum { PROTOCOL = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int channel = -1;
static struct board *board;
static enum { NOT_TRIED, OPEN, CLOSED } state;

static char *address; /* of the server's socket; "": this process is not watched */

bool watched(void) {
    char *known = __atomic_load_n(&address, __ATOMIC_ACQUIRE);
    if (!known) {
        const char *told = getenv(ENVIRONMENT);
        known = strdup(told ? told : "");
        __atomic_store_n(&address, known, __ATOMIC_RELEASE);
    }
    return known && *known;
}

static void hang_up(void) {
    if (channel >= 0)
        close(channel);
    channel = -1;
    state = CLOSED;
}

static bool transmit(const char *text, const int *fds, int count) {
    struct iovec part = {(void *)text, strlen(text)};
    char control[CMSG_SPACE(MOST_FDS * sizeof(int))] = {0};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (count) {
        header.msg_control = control;
        header.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(channel, &header, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)part.iov_len;
}

static bool receive(struct reply *reply) {
    struct iovec part = {reply->text, MESSAGE_BYTES};
    char control[CMSG_SPACE(MOST_FDS * sizeof(int))];
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t size;
    do
        size = recvmsg(channel, &header, MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    reply->count = 0;
    if (size <= 0)
        return false;
    reply->text[size] = 0;
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    if (rights && rights->cmsg_type == SCM_RIGHTS) {
        reply->count = (int)((rights->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(reply->fds, CMSG_DATA(rights), reply->count * sizeof(int));
    }
    return true;
}

static void before_fork(void) { pthread_mutex_lock(&lock); }
static void parent_after_fork(void) { pthread_mutex_unlock(&lock); }
static void child_after_fork(void) {
    /* The connection is the parent's: a child that turns to the GPU makes its own. */
    if (channel >= 0)
        close(channel);
    channel = -1;
    state = NOT_TRIED;
    board = NULL;
    pthread_mutex_unlock(&lock);
}

static void introduce(void) {
    static const char *const ranks[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
    struct message hello;
    struct reply *reply = malloc(sizeof *reply);
    if (open_message(&hello, "hello") && reply) {
        add(&hello, "protocol %d\npid %d\n", PROTOCOL, (int)getpid());
        for (unsigned i = 0; i < sizeof ranks / sizeof *ranks; i++)
            if (getenv(ranks[i])) {
                add(&hello, "rank %s\n", getenv(ranks[i]));
                break;
            }
        if (transmit(hello.text, NULL, 0) && receive(reply) && reply->count == 1) {
            void *memory = mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED, reply->fds[0], 0);
            close(reply->fds[0]);
            if (memory != MAP_FAILED) {
                board = memory;
                state = OPEN;
            }
        }
    }
    close_message(&hello);
    free(reply);
}

struct board *connected(void) {
    if (state != NOT_TRIED) /* at every launch: no lock */
        return state == OPEN ? board : NULL;
    if (!watched())
        return NULL;
    pthread_mutex_lock(&lock);
    if (state == NOT_TRIED) {
        static bool prepared;
        if (!prepared)
            prepared = !pthread_atfork(before_fork, parent_after_fork, child_after_fork);
        struct sockaddr_un place = {.sun_family = AF_UNIX};
        snprintf(place.sun_path, sizeof place.sun_path, "%s", address);
        state = CLOSED;
        channel = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
        if (channel >= 0 && !connect(channel, (struct sockaddr *)&place, sizeof place))
            introduce();
        if (state != OPEN)
            hang_up();
    }
    struct board *answer = state == OPEN ? board : NULL;
    pthread_mutex_unlock(&lock);
    return answer;
}

void watch_from_now(const char *socket) {
    pthread_mutex_lock(&lock);
    hang_up();
    __atomic_store_n(&address, strdup(socket ? socket : ""), __ATOMIC_RELEASE);
    state = NOT_TRIED;
    pthread_mutex_unlock(&lock);
}

bool server_is_gone(void) {
    struct pollfd look = {channel, 0, 0};
    return state != OPEN || (poll(&look, 1, 0) > 0 && look.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool ask(const char *request, int fd, struct reply *reply) {
    reply->count = 0;
    if (!connected())
        return false;
    pthread_mutex_lock(&lock);
    bool answered = state == OPEN && transmit(request, &fd, fd >= 0) && receive(reply);
    if (!answered)
        hang_up();
    pthread_mutex_unlock(&lock);
    return answered;
}

void tell(const char *message, const int *fds, int count) {
    if (!connected())
        return;
    pthread_mutex_lock(&lock);
    if (state == OPEN && !transmit(message, fds, count))
        hang_up();
    pthread_mutex_unlock(&lock);
}

const char *next_field(const char *previous, const char *key) {
    size_t length = strlen(key);
    for (const char *line = strchr(previous, '\n'); line; line = strchr(line, '\n')) {
        line++;
        if (!strncmp(line, key, length) && line[length] == ' ')
            return line + length + 1;
    }
    return NULL;
}

const char *field(const struct reply *reply, const char *key) { return next_field(reply->text, key); }

void close_fds(struct reply *reply) {
    for (int i = 0; i < reply->count; i++)
        if (reply->fds[i] >= 0)
            close(reply->fds[i]);
    reply->count = 0;
}

int memory_file(const void *data, size_t size) {
    int fd = memfd_create("phasescope", MFD_CLOEXEC);
    for (size_t done = 0; fd >= 0 && done < size;) {
        ssize_t written = write(fd, (const char *)data + done, size - done);
        if (written < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        done += written > 0 ? written : 0;
    }
    return fd;
}

bool open_message(struct message *message, const char *verb) {
    *message = (struct message){malloc(MESSAGE_BYTES), MESSAGE_BYTES, 0};
    if (message->text)
        add(message, "%s\n", verb);
    return message->text;
}

void close_message(struct message *message) { free(message->text); }

void tell_and_close(struct message *message) {
    tell(message->text, NULL, 0);
    close_message(message);
}

void add(struct message *message, const char *format, ...) {
    size_t room = message->room - message->length;
    va_list values;
    va_start(values, format);
    int wanted = vsnprintf(message->text + message->length, room, format, values);
    va_end(values);
    /* A line that does not fit is left out whole. */
    if (wanted >= 0 && (size_t)wanted < room)
        message->length += wanted;
    message->text[message->length] = 0;
}
