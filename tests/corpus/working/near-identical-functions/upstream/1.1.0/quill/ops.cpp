#include "quill/ops.h"

namespace quill {

array negate(const array& a, Stream s) {
  auto out_type = a.dtype();
  auto inputs = std::vector<array>{a};
  auto& shape = inputs[0].shape();
  auto stream = to_stream(s);
  trace_unary("negate", shape);
  return array(
      shape, out_type, std::make_shared<Negate>(stream), std::move(inputs));
}

array add(const array& a, const array& b, Stream s) {
  auto out_type = promote_types(a.dtype(), b.dtype());
  auto inputs = broadcast_arrays({astype(a, out_type, s), astype(b, out_type, s)}, s);
  auto& shape = inputs[0].shape();
  return array(
      shape, out_type, std::make_shared<Add>(to_stream(s)), std::move(inputs));
}

array subtract(const array& a, const array& b, Stream s) {
  auto out_type = promote_types(a.dtype(), b.dtype());
  auto inputs = broadcast_arrays({astype(a, out_type, s), astype(b, out_type, s)}, s);
  auto& shape = inputs[0].shape();
  return array(
      shape, out_type, std::make_shared<Subtract>(to_stream(s)), std::move(inputs));
}

array multiply(const array& a, const array& b, Stream s) {
  auto out_type = promote_types(a.dtype(), b.dtype());
  auto inputs = broadcast_arrays({astype(a, out_type, s), astype(b, out_type, s)}, s);
  auto& shape = inputs[0].shape();
  return array(
      shape, out_type, std::make_shared<Multiply>(to_stream(s)), std::move(inputs));
}

} // namespace quill
