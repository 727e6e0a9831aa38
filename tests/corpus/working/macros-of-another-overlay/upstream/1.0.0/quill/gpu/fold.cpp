// Folds in place.
void fold(device int* a) {
  a[0] = 0;
}
