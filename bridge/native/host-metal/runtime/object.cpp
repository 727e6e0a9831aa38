#include "object.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

namespace host_metal {

void fail(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("host-metal: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  abort();
}

void does_not_understand(Object* receiver, const Selector* selector) {
  fail("%s does not understand '%s'", receiver->class_name(), selector->name);
}

extern "C" [[noreturn]] void host_metal_unknown(Object* receiver, const Selector* selector) {
  fail("unknown selector '%s', sent to %s: this MLX calls something new, add it to methods.cpp", selector->name,
       receiver->class_name());
}

Object* Object::retain() {
  references_.fetch_add(1, std::memory_order_relaxed);
  return this;
}

void Object::release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

// The innermost pool of this thread. A plain pointer: MLX opens pools from static destructors, when a thread-local
// object with a destructor of its own would be gone.
static thread_local AutoreleasePool* innermost = nullptr;

Object* Object::autorelease() {
  if (innermost) innermost->objects_.push_back(this);
  return this;
}

AutoreleasePool::AutoreleasePool() : outer_(innermost) { innermost = this; }

AutoreleasePool::~AutoreleasePool() {
  if (innermost != this) fail("an autorelease pool was drained before a pool inside it");
  while (!objects_.empty()) {
    Object* object = objects_.back();
    objects_.pop_back();
    object->release();  // may autorelease something else into this pool
  }
  innermost = outer_;
}

Object* Class::alloc() {
  if (!make) fail("unknown class '%s': this MLX makes something new, add it to methods.cpp", name);
  return make();
}

// Selectors and classes are asked for by metal-cpp's static initialisers and live as long as the process.
template <class T, class Make>
static T* interned(const char* name, Make make) {
  static std::mutex mutex;
  static auto* known = new std::map<std::string, T*>;
  std::lock_guard lock(mutex);
  auto [entry, is_new] = known->try_emplace(name, nullptr);
  if (is_new) entry->second = make(entry->first.c_str());
  return entry->second;
}

extern "C" SEL sel_registerName(const char* name) {
  return reinterpret_cast<SEL>(
      interned<Selector>(name, [](const char* kept) { return new Selector{kept, implementation(kept)}; }));
}

extern "C" ::Class objc_lookUpClass(const char* name) {
  return reinterpret_cast<::Class>(
      interned<Class>(name, [](const char* kept) { return new Class(kept, constructor(kept)); }));
}

extern "C" Protocol* objc_getProtocol(const char*) { return nullptr; }

}  // namespace host_metal
