#include "interlock.h"
