// A strict reader for the driver's own lines: objects, arrays, strings without escapes, whole numbers, true and
// false. MLX has a JSON library among its dependencies, but not every packaging of MLX brings it along.
#pragma once

#include <cctype>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace driver {

struct Json {
  using List = std::vector<Json>;
  using Members = std::map<std::string, Json, std::less<>>;
  std::variant<std::monostate, bool, int64_t, std::string, List, Members> value;

  template <class T>
  const T& as(const char* what) const {
    if (const T* wanted = std::get_if<T>(&value)) return *wanted;
    throw std::invalid_argument(std::string("expected ") + what);
  }
  const std::string& text() const { return as<std::string>("a string"); }
  int64_t number() const { return as<int64_t>("a whole number"); }
  bool truth() const { return as<bool>("true or false"); }
  const List& list() const { return as<List>("a list"); }
  const Members& members() const { return as<Members>("an object"); }
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json whole() {
    Json json = value();
    if (peek() != '\0') wrong("the end of the line");
    return json;
  }

 private:
  Json value() {
    switch (peek()) {
      case '{':
        return {object()};
      case '[':
        return {array()};
      case '"':
        return {string()};
      case 't':
        word("true");
        return {true};
      case 'f':
        word("false");
        return {false};
      default:
        return {number()};
    }
  }

  Json::Members object() {
    Json::Members members;
    take('{');
    if (take_if('}')) return members;
    do {
      peek();
      std::string key = string();
      take(':');
      if (!members.try_emplace(key, value()).second) wrong(("one \"" + key + "\"").c_str());
    } while (more('}'));
    return members;
  }

  Json::List array() {
    Json::List list;
    take('[');
    if (take_if(']')) return list;
    do {
      list.push_back(value());
    } while (more(']'));
    return list;
  }

  std::string string() {
    if (text_[at_] != '"') wrong("a string");
    const size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) wrong("a closing quote");
    std::string text(text_.substr(at_ + 1, end - at_ - 1));
    if (text.find('\\') != std::string::npos) wrong("a string without escapes");
    at_ = end + 1;
    return text;
  }

  int64_t number() {
    const bool negative = peek() == '-';
    if (negative) ++at_;
    if (at_ >= text_.size() || !isdigit(static_cast<unsigned char>(text_[at_]))) wrong("a value");
    int64_t number = 0;
    for (; at_ < text_.size() && isdigit(static_cast<unsigned char>(text_[at_])); ++at_) {
      if (number > INT64_MAX / 10 - 1) wrong("a smaller number");
      number = number * 10 + (text_[at_] - '0');
    }
    return negative ? -number : number;
  }

  void word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) wrong("true or false");
    at_ += expected.size();
  }

  // Skips white space and returns the next character without reading past it; NUL at the end.
  char peek() {
    while (at_ < text_.size() && isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void take(char expected) {
    if (!take_if(expected)) wrong(std::string(1, expected).c_str());
  }

  // Reads past the character and returns true if it is the next one.
  bool take_if(char expected) {
    if (peek() != expected) return false;
    ++at_;
    return true;
  }

  // Reads past a comma and returns true, or reads past the closing bracket and returns false.
  bool more(char closing) {
    if (take_if(',')) return true;
    take(closing);
    return false;
  }

  [[noreturn]] void wrong(const char* expected) {
    throw std::invalid_argument("column " + std::to_string(at_ + 1) + ": expected " + expected);
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace driver
