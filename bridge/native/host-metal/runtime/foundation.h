// The few classes of Foundation that MLX's Metal backend uses.
#pragma once

#include <string>
#include <vector>

#include "object.h"

namespace host_metal {

class String : public Object {
 public:
  explicit String(std::string text) : text(std::move(text)) {}
  const char* class_name() const override { return "NSString"; }
  const char* utf8() { return text.c_str(); }
  Integer length() { return text.size(); }

  const std::string text;
};

class Array : public Object {
 public:
  explicit Array(std::vector<Ref<Object>> objects) : objects_(std::move(objects)) {}
  const char* class_name() const override { return "NSArray"; }
  Integer count() { return objects_.size(); }
  Object* object_at(Integer index) {
    if (index >= objects_.size()) fail("NSRangeException: object %lu of an NSArray of %zu", index, objects_.size());
    return objects_[index].get();
  }

 private:
  std::vector<Ref<Object>> objects_;
};

// A new object that the caller does not own: it goes with the pool.
template <class T, class... A>
T* autoreleased(A&&... arguments) {
  T* object = new T(std::forward<A>(arguments)...);
  object->autorelease();
  return object;
}

}  // namespace host_metal
