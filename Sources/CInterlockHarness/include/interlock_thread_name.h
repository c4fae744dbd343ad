#ifndef INTERLOCK_THREAD_NAME_H
#define INTERLOCK_THREAD_NAME_H

// Names of the harness's own threads. Not part of the users' API.

#ifdef __cplusplus
extern "C" {
#endif

/// Gives the calling thread a name that reports show; at most 15 bytes.
void interlock_name_thread(const char *name);

#ifdef __cplusplus
}
#endif

#endif
