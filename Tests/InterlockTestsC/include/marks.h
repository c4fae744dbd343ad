#ifndef MARKS_H
#define MARKS_H

/// Sections that are marked in C. Each function begins or ends one section.
void c_begin_write(const char *name);
void c_end_write(const char *name);
void c_begin_read_of(const char *kind, int number);
void c_end_read_of(const char *kind, int number);
void c_begin_plain_read(void);
void c_end_plain_read(void);
void c_begin_synched_write(const char *name);

/// Sections on a part.
void c_begin_part_write(const char *part, const char *name);
void c_end_part_write(const char *part, const char *name);
void c_begin_synched_part_write(const char *part);
void c_end_plain_part_write(const char *part);

/// A number that C code changes without a mark.
int c_unmarked_value(void);
void c_change_unmarked_value(void);

/// Marks in a file with IN_PRODUCTION at 1. Returns how often a name's argument was evaluated.
int c_production_marks(void);

/// Forks. The child exits at once; returns the child's exit code. In C, because Swift has no fork.
int c_exit_code_of_fork(void);

/// Forks. The child runs `body` and exits with its result. Returns the child's exit code, or the
/// negated number of the signal that ended it: SIGALRM after 20 seconds.
int c_status_of_fork(int (*body)(void));

/// An address in a function with the mangled name of the first closure in a module's top-level
/// code.
unsigned long c_address_in_top_level_closure(void);
/// An address of the C library that no symbol covers.
unsigned long c_address_in_header_of_library(void);

/// A return address in a function that is inlined even into unoptimised code.
unsigned long c_return_address_in_inlined(void);

/// Names the calling thread; at most 15 characters.
void c_name_thread(const char *name);

/// Maps a file and then truncates it, so that reading the mapping is a bus error. Returns 0 on
/// success. In C, because it takes three system calls.
int c_map_file_that_is_gone(void);

/// The peak memory of the process, in the system's unit. In C, because the type of the constant
/// that it needs differs between systems in Swift.
long c_most_memory(void);

#endif
