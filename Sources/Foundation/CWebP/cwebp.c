// The module needs a source file; it consists of libwebp's header.
#include "cwebp.h"
