#include "cwebp.h"
