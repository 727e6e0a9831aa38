#include "quill/start.h"

int start() {
  return 0;
}