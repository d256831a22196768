#include "cmosquitto.h"
