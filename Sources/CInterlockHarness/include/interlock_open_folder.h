#ifndef INTERLOCK_OPEN_FOLDER_H
#define INTERLOCK_OPEN_FOLDER_H

// Opens folders whose contents other processes may change meanwhile. Not part of the users' API.

#ifdef __cplusplus
extern "C" {
#endif

/// Opens a folder in another folder, closed on exec. Follows no link, and enters no mount. Returns
/// -1, with the reason in `errno`, if it cannot be opened in this way.
int interlock_open_folder(int parent, const char *name);

#ifdef __cplusplus
}
#endif

#endif
