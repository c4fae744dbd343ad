/// Section tracking for C and Objective-C: marks what a stretch of code reads or writes.
///
/// The tracker reports a write that overlaps another access, before the damage. The spelling is
/// that of the article it comes from ("Detecting race conditions in iOS", 2012).
///
///     BEGIN_LOCK(LOCK_NO_WRITE, "users.%d", id);      // I read: others may read, none may write
///     ...
///     END_LOCK(LOCK_NO_WRITE, "users.%d", id);
///
/// The registry is that of the Swift module `Interlock`: a C writer and a Swift reader conflict. A
/// name is a printf format with its arguments, or a plain string. A part of a resource is a string
/// before the name: sections on different parts do not conflict, and a section on the whole
/// resource conflicts with sections on any part.
///
///     BEGIN_LOCK_PART(LOCK_NO_READWRITE, key, "users");
///
/// In Objective-C a name may also be an NSString, as in the article:
///
///     BEGIN_LOCK(LOCK_NO_WRITE, @"users.%@", user);
#ifndef INTERLOCK_H
#define INTERLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/// I read: other sections may read, none may write.
#define LOCK_NO_WRITE 1
/// I write: no other section may overlap.
#define LOCK_NO_READWRITE 3
/// The article's own spellings of both.
#define LOCK_NOWRITE LOCK_NO_WRITE
#define LOCK_NOREADWRITE LOCK_NO_READWRITE

/// If IN_PRODUCTION is 1 the macros expand to nothing, and their arguments are not evaluated. The
/// default is 0 if DEBUG is on (SwiftPM's debug builds), else 1.
#ifndef IN_PRODUCTION
#if defined(DEBUG) && DEBUG
#define IN_PRODUCTION 0
#else
#define IN_PRODUCTION 1
#endif
#endif

#if IN_PRODUCTION
#define BEGIN_LOCK(mode, ...) ((void)0)
#define BEGIN_SYNCHED_LOCK(mode, ...) ((void)0)
#define END_LOCK(mode, ...) ((void)0)
#define BEGIN_LOCK_PART(mode, part, ...) ((void)0)
#define BEGIN_SYNCHED_LOCK_PART(mode, part, ...) ((void)0)
#define END_LOCK_PART(mode, part, ...) ((void)0)
#else
/// Begins a section on the resource of this name.
#define BEGIN_LOCK(mode, ...) \
  interlock_begin_named(__FILE__, __func__, __LINE__, (mode), 0, __VA_ARGS__)
/// Begins a section, and declares that the caller holds a real lock.
#define BEGIN_SYNCHED_LOCK(mode, ...) \
  interlock_begin_named(__FILE__, __func__, __LINE__, (mode), 1, __VA_ARGS__)
/// Ends the innermost section of this owner in this mode on the resource of this name.
#define END_LOCK(mode, ...) \
  interlock_end_named(__FILE__, __func__, __LINE__, (mode), __VA_ARGS__)
/// Begins a section on a part, a string, of the resource of this name. NULL is the part "".
#define BEGIN_LOCK_PART(mode, part, ...) \
  interlock_begin_part(__FILE__, __func__, __LINE__, (mode), 0, (part), __VA_ARGS__)
/// Begins a section on a part, and declares that the caller holds a real lock.
#define BEGIN_SYNCHED_LOCK_PART(mode, part, ...) \
  interlock_begin_part(__FILE__, __func__, __LINE__, (mode), 1, (part), __VA_ARGS__)
/// Ends the innermost section of this owner in this mode on an equal part of the resource of this
/// name.
#define END_LOCK_PART(mode, part, ...) \
  interlock_end_part(__FILE__, __func__, __LINE__, (mode), (part), __VA_ARGS__)
#endif

/// Called by BEGIN_LOCK and BEGIN_SYNCHED_LOCK. C, because a printf format needs C's variable
/// arguments. `file` and `function` must live as long as the process, as `__FILE__` and `__func__`
/// do.
void interlock_begin_named(const char *file, const char *function, int line, int mode, int synched,
                           const char *format, ...) __attribute__((format(printf, 6, 7)));

/// Called by END_LOCK.
void interlock_end_named(const char *file, const char *function, int line, int mode,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

/// Called by BEGIN_LOCK_PART and BEGIN_SYNCHED_LOCK_PART. The part is copied.
void interlock_begin_part(const char *file, const char *function, int line, int mode, int synched,
                          const char *part, const char *format, ...)
    __attribute__((format(printf, 7, 8)));

/// Called by END_LOCK_PART.
void interlock_end_part(const char *file, const char *function, int line, int mode,
                        const char *part, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#ifdef __cplusplus
}
#endif

#if defined(__OBJC__) && !IN_PRODUCTION
#import <Foundation/NSString.h>
#include <stdarg.h>

// The same calls with an NSString for a format. In the header: this package has no Objective-C of
// its own, which SwiftPM compiles on Apple's systems alone.
#define INTERLOCK_WITH_NAME(call)                                                  \
  va_list arguments;                                                               \
  va_start(arguments, format);                                                     \
  NSString *name = [[NSString alloc] initWithFormat:format arguments:arguments];   \
  va_end(arguments);                                                               \
  call;                                                                            \
  INTERLOCK_RELEASE(name)
#if __has_feature(objc_arc)
#define INTERLOCK_RELEASE(name)
#else
#define INTERLOCK_RELEASE(name) [name release]
#endif

__attribute__((overloadable, format(__NSString__, 6, 7)))
static inline void interlock_begin_named(const char *file, const char *function, int line,
                                         int mode, int synched, NSString *format, ...) {
  INTERLOCK_WITH_NAME(
      interlock_begin_named(file, function, line, mode, synched, "%s", [name UTF8String]));
}

__attribute__((overloadable, format(__NSString__, 5, 6)))
static inline void interlock_end_named(const char *file, const char *function, int line, int mode,
                                       NSString *format, ...) {
  INTERLOCK_WITH_NAME(interlock_end_named(file, function, line, mode, "%s", [name UTF8String]));
}

__attribute__((overloadable, format(__NSString__, 7, 8)))
static inline void interlock_begin_part(const char *file, const char *function, int line, int mode,
                                        int synched, const char *part, NSString *format, ...) {
  INTERLOCK_WITH_NAME(
      interlock_begin_part(file, function, line, mode, synched, part, "%s", [name UTF8String]));
}

__attribute__((overloadable, format(__NSString__, 6, 7)))
static inline void interlock_end_part(const char *file, const char *function, int line, int mode,
                                      const char *part, NSString *format, ...) {
  INTERLOCK_WITH_NAME(
      interlock_end_part(file, function, line, mode, part, "%s", [name UTF8String]));
}

#undef INTERLOCK_WITH_NAME
#undef INTERLOCK_RELEASE
#endif

#endif
