#pragma once

#define TARGET_OS_OSX 1
#define TARGET_OS_IOS 0
#define TARGET_OS_SIMULATOR 0
#define TARGET_OS_MACCATALYST 0
