namespace quill::cpu {
void eval() {}
} // namespace quill::cpu
