#pragma once
// libwebp's simple decoding functions without a wrapper: they neither longjmp
// nor print.
#include <webp/decode.h>
