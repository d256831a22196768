// The module needs a source file; it consists of libyaml's header.
#include "cyaml.h"
