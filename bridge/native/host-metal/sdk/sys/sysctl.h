// MLX asks for hw.memsize and iogpu.rsrc_limit. glibc 2.32 and later have no such header.
#pragma once

#include <stddef.h>

extern "C" int sysctlbyname(const char* name, void* value, size_t* length, void* new_value, size_t new_length);
