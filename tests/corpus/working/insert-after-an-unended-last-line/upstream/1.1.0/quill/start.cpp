#include "quill/start.h"

int stop() {
  return 1;
}

int start() {
  return 0;
}