/* error.c: the one place where messages come from, and the interrupt flag.
** One slot a thread holds the first failure until somebody reads or clears it.  It refuses to
** print, abort (but for impossible states) or jump.
*/
#include "internal.h"
#include "stop.h"

#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <unistd.h>

/* A thread's slot, behind a pointer because thread-local memory is scarce. */
typedef struct error_slot {
  unsigned next;
  bool named; /* the text begins with the name of a function */
  char text[1024];
  char ring[8][24 * KILN_MAX_LIST];
} error_slot;
static KILN_HOT_TLS int32_t code;
static KILN_HOT_TLS error_slot *slot;
KILN_HOT_TLS bool kiln__writes_in_place;
static pthread_key_t slot_key;
static pthread_once_t slot_once = PTHREAD_ONCE_INIT;

/* Others that end with the thread may still fail. */
static void slot_end(void *p) {
  slot = NULL;
  free(p);
}
static void make_key(void) { pthread_key_create(&slot_key, slot_end); }

static error_slot *my_slot(void) {
  static error_slot shared;
  if (KILN_LIKELY(slot != NULL))
    return slot;
  pthread_once(&slot_once, make_key);
  slot = calloc(1, sizeof *slot);
  if (!slot)
    return &shared;
  if (code != 0) /* the failure that is under way was of this thread's first slot */
    *slot = shared;
  pthread_setspecific(slot_key, slot);
  return slot;
}

_Noreturn void kiln__assert_failed(const char *what, const char *file, int line) {
  fprintf(stderr, "kiln: impossible state: %s (%s:%d)\n", what, file, line);
  abort();
}

/* "matmul: ..." has a name, "out of memory: ..." and "OpenBLAS: ..." have none. */
static bool has_name(const char *text) {
  size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
  return n > 0 && text[n] == ':' && text[n + 1] == ' ';
}

static void vset(int32_t status, const char *prefix, const char *format, va_list args) {
  if (code != 0)
    return;
  error_slot *s = my_slot();
  size_t n = 0;
  code = status;
  if (prefix)
    n = (size_t)snprintf(s->text, sizeof s->text, "%s: ", prefix);
  vsnprintf(s->text + n, sizeof s->text - n, format, args);
  s->named = prefix || has_name(s->text);
}

int32_t kiln_fail(int32_t status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vset(status, NULL, format, args);
  va_end(args);
  return status;
}

enum { MAX_NAME = 64 };

static void spell(char name[MAX_NAME], int32_t op) {
  snprintf(name, MAX_NAME, "%s%s", kiln__ops[op].name, kiln__writes_in_place ? "_" : "");
}

int32_t kiln__fail_op(int32_t op, int32_t status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char name[MAX_NAME];
  spell(name, op);
  vset(status, name, format, args);
  va_end(args);
  return status;
}

static void insert(error_slot *s, size_t at, const char *what) {
  size_t n = strlen(what), kept = strnlen(s->text + at, sizeof s->text - at - n - 1);
  memmove(s->text + at + n, s->text + at, kept);
  memcpy(s->text + at, what, n);
  s->text[at + n + kept] = 0;
}

void kiln__name_error(int32_t op) {
  error_slot *s = my_slot();
  const char *plain = kiln__ops[op].name;
  size_t n = strlen(plain);
  if (code == 0 || code == KILN_EINTR)
    return;
  if (s->named) { /* by a kernel, which does not know that it writes in place */
    if (kiln__writes_in_place && strncmp(s->text, plain, n) == 0 && s->text[n] == ':')
      insert(s, n, "_");
    return;
  }
  char name[MAX_NAME + 2];
  spell(name, op);
  strcat(name, ": ");
  insert(s, 0, name);
  s->named = true;
}

const char *kiln_error(void) { return code ? my_slot()->text : ""; }
int32_t kiln_error_code(void) { return code; }
void kiln_error_clear(void) { code = 0; }

const char *kiln__shape_text(const int64_t *shape, int32_t ndim) {
  error_slot *s = my_slot();
  char *text = s->ring[s->next++ % 8];
  size_t n = 0, size = sizeof s->ring[0];
  n += (size_t)snprintf(text + n, size - n, "[");
  for (int32_t i = 0; i < ndim; i++) {
    n += (size_t)snprintf(text + n, size - n, i ? ", %lld" : "%lld", (long long)shape[i]);
  }
  snprintf(text + n, size - n, "]");
  return text;
}

const char *kiln__device_text(int32_t device) {
  error_slot *s = my_slot();
  char *text = s->ring[s->next++ % 8];
  if (device == 0)
    return "cpu";
  snprintf(text, sizeof s->ring[0], "cuda:%d", device);
  return text;
}

/* -- Ctrl-C -------------------------------------------------------------------------------- */

volatile int32_t kiln__interrupt_flag;

/* The second press while nobody has seen the first leaves as the shell expects. */
static void on_interrupt(int signal_number) {
  if (kiln__interrupt_flag) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
    return;
  }
  kiln__interrupt_flag = 1;
}

void kiln_interrupt_install(void) {
  struct sigaction now, action = {.sa_handler = on_interrupt};
  if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
    return;
  sigaction(SIGINT, &action, NULL);
}

void kiln_interrupt_raise(void) { kiln__interrupt_flag = 1; }
bool kiln_interrupt_pending(void) { return kiln__interrupt_flag != 0; }
const volatile int32_t *kiln_peek_interrupt(void) { return &kiln__interrupt_flag; }

int32_t kiln_interrupt_poll(void) { return kiln__interrupted() ? KILN_EINTR : KILN_OK; }

static KILN_HOT_TLS bool leaves_interrupts;

void kiln__leave_interrupts(void) { leaves_interrupts = true; }

static int32_t stopped(void) {
  kiln__interrupt_flag = 0;
  return kiln_fail(KILN_EINTR, "interrupted");
}

bool kiln__take_interrupt(void) { return !leaves_interrupts && stopped() < 0; }

static const volatile int32_t never;
_Thread_local __attribute__((tls_model("initial-exec"))) kiln_stop kiln__stop = {&never, false};

void kiln__stop_open(void) { kiln__stop.flag = leaves_interrupts ? &never : &kiln__interrupt_flag; }

int32_t kiln__stop_close(int32_t status) {
  kiln__stop.flag = &never;
  if (KILN_LIKELY(!kiln__stop.left_out))
    return status;
  kiln__stop.left_out = false;
  return status < 0 ? status : stopped();
}
