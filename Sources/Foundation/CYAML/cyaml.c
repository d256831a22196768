#include "cyaml.h"
