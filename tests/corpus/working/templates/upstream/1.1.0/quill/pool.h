#pragma once

namespace quill {

template <typename T, typename U = std::enable_if_t<(sizeof(T) > 4), T>>
T clamp(T x, T lo, T hi) {
  return x < lo ? lo : x > hi ? hi : x;
}

template <typename T>
class Pool {
 public:
  T* take();
  void give(T* item);
};

template <typename T>
T* Pool<T>::take() {
  if (free_.empty()) {
    return new T();
  }
  T* item = free_.back();
  free_.pop_back();
  return item;
}

template <>
inline char* Pool<char>::give_one() {
  return nullptr;
}

template <typename T>
void Pool<T>::give(T* item) {
  free_.push_back(item);
}

} // namespace quill
