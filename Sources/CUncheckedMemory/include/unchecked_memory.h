/// The functions that instrumented code calls, for executables in which nothing is checked. No code
/// of this package calls them by name.
#ifndef UNCHECKED_MEMORY_H
#define UNCHECKED_MEMORY_H
#endif
