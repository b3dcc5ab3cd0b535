/* What recording costs: once a launch is recorded it is repeated, original and twin in turn, and both are timed.

Only where it was asked for: what the kernel wrote is not restored in between. The twin logs into a buffer beside the
recording's, of the same size and in the same memory, so that it costs the same and the recording stays as it is. */
#include "shim.h"
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static bool open_rounds(const struct launch *launch, struct recording *recording) {
    struct rounds *rounds = &recording->rounds;
    const struct log *log = &recording->log;
    int fd = memory_file(log->memory, log->begun);
    rounds->failed = "memory";
    if (fd < 0)
        return false;
    rounds->ms = calloc(2 * rounds->wanted, sizeof *rounds->ms);
    rounds->scratch = (struct log){.bytes = log->bytes, .begun = log->begun};
    bool ready = rounds->ms && !ftruncate(fd, log->bytes) &&
                 open_log(&rounds->scratch, fd, log->copies, launch->stream) == SUCCESS;
    close(fd);
    if (!ready || cu.cuMemcpyHtoDAsync(recording->address_at, &rounds->scratch.address,
                      sizeof rounds->scratch.address, launch->stream) != SUCCESS)
        return false;
    rounds->failed = NULL;
    struct message message;
    if (open_message(&message, "timing")) {
        add(&message, "recording %d\n", recording->id);
        tell_and_close(&message);
    }
    return true;
}

Handle next_round(const struct launch *launch, struct recording *recording) {
    struct rounds *rounds = &recording->rounds;
    if (recording->outcome != SUCCESS || rounds->failed || rounds->done == 2 * rounds->wanted)
        return NULL;
    if (!rounds->ms && !open_rounds(launch, recording))
        return NULL;
    cu.cuEventRecord(recording->begin, launch->stream);
    return rounds->done % 2 ? recording->function : launch->function;
}

void end_round(const struct launch *launch, struct recording *recording, Result result) {
    const struct timespec pause = {0, 50000};
    struct rounds *rounds = &recording->rounds;
    int64_t begun = now();
    if (result == SUCCESS)
        result = cu.cuEventRecord(recording->end, launch->stream);
    while (result == SUCCESS && (result = cu.cuEventQuery(recording->end)) == NOT_READY) {
        rounds->stuck = rounds->limit_ms && now() - begun > rounds->limit_ms * (int64_t)1000000;
        if (rounds->stuck || server_is_gone())
            break;
        nanosleep(&pause, NULL);
        result = SUCCESS;
    }
    if (result == SUCCESS)
        result = cu.cuEventElapsedTime(&rounds->ms[rounds->done], recording->begin, recording->end);
    if (result == SUCCESS)
        rounds->done++;
    else if (rounds->stuck)
        rounds->failed = "stuck";
    else if (cu.cuGetErrorName(result, &rounds->failed) != SUCCESS || !rounds->failed)
        rounds->failed = "error";
    rounds->hangs = result == NOT_READY;
}

void describe_rounds(struct message *message, const struct rounds *rounds) {
    if (rounds->failed)
        add(message, "unrepeated %s\n", rounds->failed);
    add(message, "rounds");
    for (unsigned i = 0; i < rounds->done; i++)
        add(message, " %.0f", rounds->ms[i] * 1e6);
    add(message, "\n");
}

void close_rounds(const struct launch *launch, struct rounds *rounds) {
    close_log(&rounds->scratch, launch->stream);
    free(rounds->ms);
    rounds->ms = NULL;
}
