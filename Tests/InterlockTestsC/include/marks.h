#ifndef MARKS_H
#define MARKS_H

/// Sections as C code marks them; each function begins or ends one.
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

/// The same in a file with IN_PRODUCTION at 1; returns how often a name's argument was evaluated.
int c_production_marks(void);

/// Forks; the child exits at once, and this returns its exit code. C, because Swift has no fork.
int c_exit_code_of_fork(void);

/// An address in a function whose mangled name is that of the first closure in the top-level code
/// of a module.
unsigned long c_address_in_top_level_closure(void);

/// Names the calling thread; 15 characters at most.
void c_name_thread(const char *name);

/// Maps a file, and cuts it to nothing: to read the mapping is a bus error. Returns 0 if it could.
/// C, because it is three calls there.
int c_map_file_that_is_gone(void);

/// The most memory that the process has had, in the system's own unit. C, because Swift's imports
/// of the constant that it takes differ between systems.
long c_most_memory(void);

#endif
