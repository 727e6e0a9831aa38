// The Objective-C side: objects, selectors, and how a message reaches a C++ member function.
//
// Where this departs from Apple's runtime: a class is a C++ class with virtual functions and no `isa`; a
// selector carries its one implementation, which serves every class that has it; there are no categories, no
// forwarding and no exceptions. A message that nobody implements ends the process and names itself.
#pragma once

#include <objc/runtime.h>

#include <atomic>
#include <cstdint>
#include <vector>

namespace host_metal {

using Integer = unsigned long;  // NSUInteger

// What a SEL points to. send.S knows this layout.
struct Selector {
  const char* name;
  void (*implementation)();
};

// Ends the process with `host-metal: …` on standard error.
[[noreturn, gnu::format(printf, 1, 2)]] void fail(const char* format, ...);

// What an id points to. Born with one reference, as alloc, new and copy give it.
class Object {
 public:
  Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  virtual ~Object() = default;
  virtual const char* class_name() const = 0;

  Object* retain();
  void release();
  Object* autorelease();
  Integer retain_count() { return references_.load(); }
  Object* init() { return this; }
  // Asked by metal-cpp before a message that older systems lack. Of any class: a wrong one is caught when it is sent.
  bool responds_to(const Selector* selector) { return selector->implementation != nullptr; }

 private:
  std::atomic<Integer> references_{1};
};

// A counted pointer to one of our own objects.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_) object_->retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  Ref& operator=(Ref other) {
    T* mine = object_;
    object_ = other.object_;
    other.object_ = mine;
    return *this;
  }
  ~Ref() {
    if (object_) object_->release();
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

// A class, as the receiver of alloc and of class methods. One is made for each name that is asked for.
class Class : public Object {
 public:
  Class(const char* name, Object* (*make)()) : name(name), make(make) {}
  const char* class_name() const override { return name; }
  Object* alloc();

  const char* const name;
  Object* (*const make)();  // null for a class that host-metal does not have
};

// Keeps what is autoreleased on its thread until it goes. Without a pool an autoreleased object is leaked, as it is by
// Apple's runtime.
class AutoreleasePool : public Object {
 public:
  AutoreleasePool();
  ~AutoreleasePool() override;
  const char* class_name() const override { return "NSAutoreleasePool"; }
  void drain() { release(); }

 private:
  friend class Object;
  AutoreleasePool* const outer_;
  std::vector<Object*> objects_;
};

[[noreturn]] void does_not_understand(Object* receiver, const Selector* selector);

// The function that a selector jumps to: it calls the first of the given members whose class the receiver has.
template <auto... Members>
struct Method;
template <class T, class R, class... A, R (T::*First)(A...), auto... Others>
struct Method<First, Others...> {
  static R call(Object* receiver, const Selector* selector, A... arguments) {
    if (T* object = dynamic_cast<T*>(receiver)) return (object->*First)(arguments...);
    if constexpr (sizeof...(Others) > 0) {
      return Method<Others...>::call(receiver, selector, arguments...);
    } else {
      does_not_understand(receiver, selector);
    }
  }
};

// The tables in methods.cpp, null where there is no such selector or class.
void (*implementation(const char* selector))();
Object* (*constructor(const char* class_name))();

}  // namespace host_metal
