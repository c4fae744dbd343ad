#ifndef INTERLOCK_H
#define INTERLOCK_H
#endif
