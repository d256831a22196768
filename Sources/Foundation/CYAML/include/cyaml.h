#pragma once
// libyaml without a
// wrapper.

#include <yaml.h>
