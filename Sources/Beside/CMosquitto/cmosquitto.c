// The module needs a source file; it consists of libmosquitto's headers.
#include "cmosquitto.h"
