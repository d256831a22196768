#pragma once
// libwebp's simple decoding calls, as they are: they neither longjmp nor print.
#include <webp/decode.h>
