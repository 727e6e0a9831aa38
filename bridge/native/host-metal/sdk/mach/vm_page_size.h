// MLX's allocator rounds to this; 16 KiB is the page of Apple's GPUs, whatever the host's own is.
#pragma once

inline constexpr unsigned long vm_page_size = 16384;
