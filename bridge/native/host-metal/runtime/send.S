/* objc_msgSend: a nil check and a jump, with every argument left where the caller put it.
 *
 * A selector is a pointer to {name, implementation} (object.h), so there is no lookup here: Apple's looks in
 * the receiver's class instead. The implementation finds out for itself which class it was sent to. A message
 * to nil gives 0 in every register that can hold a result. An implementation that is null is unknown:
 * host_metal_unknown(receiver, selector) says so and does not come back. */

#if defined(__x86_64__)

  .macro send label, receiver, selector
  .globl \label
  .type \label, @function
\label:
  test \receiver, \receiver
  jz .Lnil
  mov 8(\selector), %r11
  test %r11, %r11
  jz 1f
  jmp *%r11
1:mov \receiver, %rdi /* in this order: the variant for structures holds the receiver in %rsi */
  mov \selector, %rsi
  jmp host_metal_unknown@PLT
  .size \label, . - \label
  .endm

  .text
  send objc_msgSend, %rdi, %rsi
  send objc_msgSend_fpret, %rdi, %rsi
  send objc_msgSend_stret, %rsi, %rdx /* %rdi is where the result goes */
.Lnil:
  xor %eax, %eax
  xor %edx, %edx
  xorps %xmm0, %xmm0
  xorps %xmm1, %xmm1
  ret

#elif defined(__aarch64__)

  .text
  .globl objc_msgSend
  .type objc_msgSend, %function
objc_msgSend: /* results that are structures go through x8, so one variant serves all */
  cbz x0, 1f
  ldr x16, [x1, #8]
  cbz x16, 2f
  br x16
1:mov x1, #0
  movi d0, #0
  movi d1, #0
  movi d2, #0
  movi d3, #0
  ret
2:b host_metal_unknown
  .size objc_msgSend, . - objc_msgSend

#else
#error "host-metal has a trampoline for x86-64 and for aarch64"
#endif

  .section .note.GNU-stack, "", %progbits
