/* The only place in C that asks for the time. In Python: `_clock.monotonic`. */

#ifndef PENSTOCK_CLOCK_H
#define PENSTOCK_CLOCK_H

#include <time.h>

/* The clock that time.monotonic() reads. */
#ifdef __APPLE__
#define MONOTONIC CLOCK_UPTIME_RAW
#else
#define MONOTONIC CLOCK_MONOTONIC
#endif

/* Return seconds that never go back, comparable with those of `_clock.monotonic`. */
static inline double monotonic(void) {
    struct timespec now;
    clock_gettime(MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
