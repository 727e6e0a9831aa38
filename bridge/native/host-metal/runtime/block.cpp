// Blocks: closures that the compiler lays out (clang's Block-ABI-Apple) and a runtime copies to the heap. metal-cpp
// makes one of each completion handler, with a `__block std::function` in it. What it never makes is left
// out and ends the process: Objective-C objects, blocks inside blocks, `__weak`, and garbage collection.
#include "block.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "object.h"

namespace host_metal {
namespace {

constexpr int kNeedsFree = 1 << 24;
constexpr int kHasCopyDispose = 1 << 25;
constexpr int kIsGlobal = 1 << 28;
constexpr int kByrefCount = 0xffff;  // a heap Byref counts its holders in the low bits of its flags
constexpr int kFieldIsByref = 8;

struct Descriptor {
  unsigned long reserved, size;
  void (*copy)(void* to, const void* from);  // these two only with kHasCopyDispose
  void (*dispose)(const void*);
};

struct Literal {
  void* isa;
  int flags;
  std::atomic<int> references;
  void (*invoke)();
  Descriptor* descriptor;
};

// A `__block` variable. Everyone reads it through `forwarding`, which leads to the heap once it has moved there.
struct Byref {
  void* isa;
  std::atomic<Byref*> forwarding;
  std::atomic<int> flags;
  unsigned size;
  void (*keep)(Byref* to, Byref* from);  // these two only with kHasCopyDispose
  void (*destroy)(Byref*);
};

void expect_byref(int flags) {
  if (flags != kFieldIsByref) fail("a block holds a field of kind %d, which host-metal has no use for yet", flags);
}

}  // namespace

extern "C" {

void* _NSConcreteStackBlock[32];
void* _NSConcreteGlobalBlock[32];

void* _Block_copy(const void* block) {
  auto* from = static_cast<Literal*>(const_cast<void*>(block));
  if (from->flags & kIsGlobal) return from;
  if (from->flags & kNeedsFree) {
    from->references.fetch_add(1, std::memory_order_relaxed);
    return from;
  }
  auto* to = static_cast<Literal*>(malloc(from->descriptor->size));
  memcpy(static_cast<void*>(to), from, from->descriptor->size);
  to->flags |= kNeedsFree;
  to->references = 1;
  if (to->flags & kHasCopyDispose) to->descriptor->copy(to, from);
  return to;
}

void _Block_release(const void* block) {
  auto* heap = static_cast<Literal*>(const_cast<void*>(block));
  if (!(heap->flags & kNeedsFree) || heap->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (heap->flags & kHasCopyDispose) heap->descriptor->dispose(heap);
  free(heap);
}

// Called by a block's copy helper for each `__block` variable: the first copy moves the variable to the heap.
void _Block_object_assign(void* field, const void* value, int flags) {
  expect_byref(flags);
  Byref* from = static_cast<Byref*>(const_cast<void*>(value))->forwarding;
  if (!(from->flags & kNeedsFree)) {
    auto* to = static_cast<Byref*>(malloc(from->size));
    memcpy(static_cast<void*>(to), from, from->size);
    to->flags = (from->flags & ~kByrefCount) | kNeedsFree | 1;  // one holder: the frame that declared it
    to->forwarding = to;
    if (to->flags & kHasCopyDispose) to->keep(to, from);
    from->forwarding = to;
    from = to;
  }
  from->flags.fetch_add(1, std::memory_order_relaxed);
  *static_cast<Byref**>(field) = from;
}

// Called when such a block goes, and when the frame that declared the variable goes.
void _Block_object_dispose(const void* value, int flags) {
  expect_byref(flags);
  Byref* byref = static_cast<Byref*>(const_cast<void*>(value))->forwarding;
  if (!(byref->flags & kNeedsFree)) return;
  if ((byref->flags.fetch_sub(1, std::memory_order_acq_rel) & kByrefCount) != 1) return;
  if (byref->flags & kHasCopyDispose) byref->destroy(byref);
  free(byref);
}

}  // extern "C"

}  // namespace host_metal
