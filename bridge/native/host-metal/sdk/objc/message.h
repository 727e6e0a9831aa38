// What metal-cpp wants of Apple's <objc/message.h>. It casts these to the type of each call; see ../../runtime/send.S.
#pragma once

extern "C" {
void objc_msgSend(void);
void objc_msgSend_stret(void);  // x86-64 only: the result is returned through a pointer
void objc_msgSend_fpret(void);  // x86-64 only: the result is a floating-point number
}
