// The module needs a source file; it consists of SQLite's header.
#include "csqlite.h"
