/* fiber.cc: stacks to run CUDA threads on, and the switch between them: twenty instructions on
** x86-64, ucontext elsewhere.  Tells the address and the thread sanitizer who runs.  It refuses to
** know blocks or barriers.
*/
#include "internal.h"

#include <sys/mman.h>
#if !defined(__x86_64__) || defined(KILN_EMU_UCONTEXT)
#include <ucontext.h>
#define USE_UCONTEXT 1
#endif

namespace kiln_emu {

enum { STACK = 256 * 1024, GUARD = 4096, MAX_FIBERS = 1026 }; /* a block has 1024 threads at most */

fiber host_fiber, *running_fiber = &host_fiber;
static fiber pool[MAX_FIBERS], *idle[MAX_FIBERS];
static int n_pool, n_idle;

#ifdef USE_UCONTEXT
static ucontext_t contexts[MAX_FIBERS + 1];
static ucontext_t *context_of(fiber *f) {
  return f == &host_fiber ? &contexts[MAX_FIBERS] : &contexts[f - pool];
}
#else
extern "C" void kiln_emu_switch(void **save, void *to);
__asm__(".text\n.hidden kiln_emu_switch\n.globl kiln_emu_switch\n"
        ".type kiln_emu_switch,@function\n"
        "kiln_emu_switch:\n"
        "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
        "mov %rsp,(%rdi)\nmov %rsi,%rsp\n"
        "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");
#endif

#ifdef KILN_EMU_ASAN
static const void *host_bottom; /* of the thread that runs the kernel, which may change */
static size_t host_size;
static fiber *previous;

static void arrived(void *fake_stack) {
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(fake_stack, &bottom, &size);
  if (previous == &host_fiber) {
    host_bottom = bottom;
    host_size = size;
  }
}
#endif

/* -- Identities for the thread sanitizer ---------------------------------------------------------
 */

#ifdef KILN_EMU_TSAN
void *fiber_creator;

static char *put(char *at, const char *text) {
  while (*text)
    *at++ = *text++;
  return at;
}
static char *put(char *at, unsigned v) {
  char digits[12];
  int n = 0;
  do
    digits[n++] = (char)('0' + v % 10);
  while (v /= 10);
  while (n)
    *at++ = digits[--n];
  return at;
}

/* A new identity that has seen only what happened before the launch: it inherits the clock of
** fiber_creator.  Mapping the stack afresh makes the sanitizer forget who used it before.  No
** library function with an interceptor is called here. */
void *fiber_identity(char *stack_top, int thread) {
  static char name[96];
  char *at = put(name, "block (");
  at = put(put(put(put(put(at, here.block.x), ","), here.block.y), ","), here.block.z);
  at = put(put(at, ") thread "), (unsigned)thread);
  *at = 0;
  void *me = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(fiber_creator, NO_ORDER);
  if (stack_top)
    mmap(stack_top - 16384, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
  void *identity = __tsan_create_fiber(0);
  if (thread >= 0)
    __tsan_set_fiber_name(identity, name);
  __tsan_switch_to_fiber(me, NO_ORDER);
  return identity;
}
#endif

/* -- Switching -----------------------------------------------------------------------------------
 */

void fiber_switch(fiber *to) {
  fiber *from = running_fiber;
  if (to == from)
    return;
  running_fiber = to;
  totals.switches++;
#ifdef KILN_EMU_ASAN
  previous = from;
  if (to == &host_fiber)
    __sanitizer_start_switch_fiber(&from->fake_stack, host_bottom, host_size);
  else
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, STACK);
#endif
  TSAN(__tsan_switch_to_fiber(to->tsan, NO_ORDER);)
#ifdef USE_UCONTEXT
  swapcontext(context_of(from), context_of(to));
#else
  kiln_emu_switch(&from->stack_pointer, to->stack_pointer);
#endif
#ifdef KILN_EMU_ASAN
  arrived(from->fake_stack);
#endif
}

static void entry(void) {
#ifdef KILN_EMU_ASAN
  arrived(NULL);
#endif
  fiber_main();
  __builtin_trap();
}

static void start_over(fiber *f) {
#ifdef USE_UCONTEXT
  ucontext_t *c = context_of(f);
  getcontext(c);
  c->uc_stack.ss_sp = f->stack;
  c->uc_stack.ss_size = STACK;
  c->uc_link = NULL;
  makecontext(c, entry, 0);
#else
  void **sp = (void **)(f->stack + STACK);
  *--sp = NULL; /* where entry() would return to */
  *--sp = (void *)entry;
  for (int i = 0; i < 6; i++)
    *--sp = NULL;
  f->stack_pointer = sp;
#endif
}

static fiber *new_fiber(void) {
  fiber *f = &pool[n_pool++];
  char *map = (char *)mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) {
    perror("KILN-EMU: no memory for a fiber");
    abort();
  }
  mprotect(map, GUARD, PROT_NONE);
  f->stack = map + GUARD;
  start_over(f);
  return f;
}

fiber *fiber_take(int thread) {
  fiber *f = NULL;
#ifdef KILN_EMU_TSAN
  /* Started from scratch on a forgotten stack, so never the one we stand on. */
  for (int i = n_idle - 1; i >= 0 && !f; i--) {
    if (idle[i] != running_fiber) {
      f = idle[i];
      idle[i] = idle[--n_idle];
    }
  }
  if (!f)
    f = new_fiber();
  void *old = f->tsan;
  f->tsan = fiber_identity(f->stack + STACK, thread);
  start_over(f);
  if (old)
    __tsan_destroy_fiber(old);
#else
  (void)thread;
  f = n_idle ? idle[--n_idle] : new_fiber();
#endif
  return f;
}

void fiber_give_back(fiber *f) { idle[n_idle++] = f; }

} // namespace kiln_emu
