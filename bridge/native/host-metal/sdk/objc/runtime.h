// What metal-cpp wants of Apple's <objc/runtime.h>. Names and signatures only; ../runtime implements them.
#pragma once

// Complete, because metal-cpp derives NS::Object from it. It stays empty: nobody looks inside.
struct objc_object {};
typedef struct objc_object* id;
typedef struct objc_class* Class;
typedef struct objc_selector* SEL;
typedef struct objc_protocol Protocol;
typedef bool BOOL;

extern "C" {
Class objc_lookUpClass(const char* name);
Protocol* objc_getProtocol(const char* name);
SEL sel_registerName(const char* name);
}
