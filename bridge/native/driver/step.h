// The fields of a step, as it stands on its line.
#pragma once

#include "json.h"

namespace driver {

// Each field has to be read.
class Step {
 public:
  explicit Step(const Json& json) : members_(json.members()) {}
  const Json* find(const char* key) {
    auto entry = members_.find(key);
    if (entry == members_.end()) return nullptr;
    ++read_;
    return &entry->second;
  }
  std::string text(const char* key, const char* otherwise = nullptr) {
    if (const Json* json = find(key)) return json->text();
    if (!otherwise) throw std::invalid_argument(std::string("a step without \"") + key + "\"");
    return otherwise;
  }
  int64_t number(const char* key, int64_t otherwise) {
    const Json* json = find(key);
    return json ? json->number() : otherwise;
  }
  bool truth(const char* key) {
    const Json* json = find(key);
    return json && json->truth();
  }
  void all_read() const {
    if (read_ != members_.size()) throw std::invalid_argument("a step with a field that it does not know");
  }

 private:
  const Json::Members& members_;
  size_t read_ = 0;
};

}  // namespace driver
