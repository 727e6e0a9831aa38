// Apple's umbrella header also brings these, and MLX's sources rely on it.
#pragma once

#include <dispatch/dispatch.h>
#include <math.h>
#include <stddef.h>

typedef double CFTimeInterval;
