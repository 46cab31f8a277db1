/* worker.c: workers, which are OS threads with a Lua state each, and channels of bytes between
** them.  A state is made, run and closed on its thread, so no state is ever used by two; what Lua
** offers for that is looked up in the running program, so the library needs no headers of it.
** Workers draw from random generators of their own and leave signals to the other threads.  It
** refuses to know what is sent.
*/
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

/* -- Lua ----------------------------------------------------------------------------------- */

typedef struct lua_State lua_State;

static struct {
  lua_State *(*newstate)(void);
  void (*openlibs)(lua_State *);
  int (*loadbuffer)(lua_State *, const char *, size_t, const char *);
  void (*pushlstring)(lua_State *, const char *, size_t);
  int (*pcall)(lua_State *, int, int, int);
  const char *(*tolstring)(lua_State *, int, size_t *);
  void (*close)(lua_State *);
} lua;

static bool lua_is_there;

static void find_lua(void) {
  static const struct {
    const char *name;
    void *at;
  } names[] = {
      {"luaL_newstate", &lua.newstate},
      {"luaL_openlibs", &lua.openlibs},
      {"luaL_loadbuffer", &lua.loadbuffer},
      {"lua_pushlstring", &lua.pushlstring},
      {"lua_pcall", &lua.pcall},
      {"lua_tolstring", &lua.tolstring},
      {"lua_close", &lua.close},
  };
  lua_is_there = true;
  for (size_t i = 0; i < KILN_COUNT(names); i++) {
    void *f = dlsym(RTLD_DEFAULT, names[i].name);
    memcpy(names[i].at, &f, sizeof f);
    lua_is_there &= f != NULL;
  }
}

/* -- Workers ------------------------------------------------------------------------------- */

struct kiln_worker {
  pthread_t id;
  int32_t refs; /* the thread holds one, and who started it */
  int32_t done;
  char *why; /* what its code raised */
  size_t n_code, n_argument;
  char text[]; /* code, then argument */
};

static char no_memory[] = "out of memory";

static void worker_release(kiln_worker *t) {
  if (!kiln__drop(&t->refs))
    return;
  if (t->why != no_memory)
    free(t->why);
  free(t);
}

static char *copy_of(const char *s) {
  char *copy = strdup(s ? s : "an error that is no text");
  return copy ? copy : no_memory;
}

/* NULL, or what went wrong. */
static char *run_code(const kiln_worker *t) {
  lua_State *L = lua.newstate();
  if (!L)
    return copy_of("there is no memory for another Lua state");
  char *why = NULL;
  lua.openlibs(L);
  int status = lua.loadbuffer(L, t->text, t->n_code, "=kiln worker");
  if (status == 0) {
    lua.pushlstring(L, t->text + t->n_code, t->n_argument);
    status = lua.pcall(L, 1, 0, 0);
  }
  if (status != 0)
    why = copy_of(lua.tolstring(L, -1, NULL));
  lua.close(L);
  return why;
}

static void *enter(void *arg) {
  kiln_worker *t = arg;
  kiln__leave_interrupts();
  t->why = kiln_rng_own(0) < 0 ? copy_of(kiln_error()) : run_code(t);
  __atomic_store_n(&t->done, 1, __ATOMIC_RELEASE);
  worker_release(t);
  return NULL;
}

kiln_worker *kiln_worker_start(const char *code, size_t n_code, const char *argument,
                               size_t n_argument) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_lua);
  if (!lua_is_there) {
    kiln_fail(KILN_EBACKEND, "worker: this program does not export Lua's C interface");
    return NULL;
  }
  kiln_worker *t = malloc(sizeof *t + n_code + n_argument);
  if (!t) {
    kiln_fail(KILN_ENOMEM, "worker: out of memory");
    return NULL;
  }
  *t = (kiln_worker){.refs = 2, .n_code = n_code, .n_argument = n_argument};
  memcpy(t->text, code, n_code);
  memcpy(t->text + n_code, argument, n_argument);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int status = pthread_create(&t->id, NULL, enter, t);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (status != 0) {
    free(t);
    kiln_fail(KILN_EBACKEND, "worker: the system gives no thread (%s)", strerror(status));
    return NULL;
  }
  return t;
}

bool kiln_worker_is_done(const kiln_worker *t) {
  return __atomic_load_n(&t->done, __ATOMIC_ACQUIRE) != 0;
}

int32_t kiln_worker_join(kiln_worker *t) {
  pthread_join(t->id, NULL);
  int32_t status = t->why ? kiln_fail(KILN_EBACKEND, "worker: %s", t->why) : KILN_OK;
  worker_release(t);
  return status;
}

void kiln_worker_abandon(kiln_worker *t) {
  pthread_detach(t->id);
  worker_release(t);
}

/* -- Channels ------------------------------------------------------------------------------ */

typedef struct message {
  struct message *next;
  size_t n;
  char bytes[];
} message;

struct kiln_channel {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  message *first, *last;
  int32_t refs;
  bool closed;
};

kiln_channel *kiln_channel_new(void) {
  kiln_channel *c = calloc(1, sizeof *c);
  if (!c) {
    kiln_fail(KILN_ENOMEM, "channel: out of memory");
    return NULL;
  }
  pthread_condattr_t clock;
  pthread_condattr_init(&clock);
  pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
  pthread_mutex_init(&c->mutex, NULL);
  pthread_cond_init(&c->changed, &clock);
  pthread_condattr_destroy(&clock);
  c->refs = 1;
  return c;
}

kiln_channel *kiln_channel_retain(kiln_channel *c) {
  KILN_ASSERT(kiln__retain(&c->refs) > 1);
  return c;
}

void kiln_channel_release(kiln_channel *c) {
  if (!c || !kiln__drop(&c->refs))
    return;
  while (c->first) {
    message *m = c->first;
    c->first = m->next;
    free(m);
  }
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->mutex);
  free(c);
}

int32_t kiln_channel_push(kiln_channel *c, const char *bytes, size_t n) {
  message *m = malloc(sizeof *m + n);
  if (!m)
    return kiln_fail(KILN_ENOMEM, "channel: out of memory for a message of %zu bytes", n);
  m->next = NULL;
  m->n = n;
  memcpy(m->bytes, bytes, n);
  pthread_mutex_lock(&c->mutex);
  if (c->first)
    c->last->next = m;
  else
    c->first = m;
  c->last = m;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
  return KILN_OK;
}

static struct timespec deadline(double seconds) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  int64_t ns = t.tv_nsec + (int64_t)(seconds * 1e9);
  t.tv_sec += ns / 1000000000;
  t.tv_nsec = ns % 1000000000;
  return t;
}

static const double LOOK = 0.2; /* seconds between two looks for Ctrl-C */

const char *kiln_channel_pop(kiln_channel *c, double seconds, size_t *n) {
  struct timespec until = deadline(seconds > 0 && seconds < 1e9 ? seconds : 0);
  int status = 0;
  pthread_mutex_lock(&c->mutex);
  while (!c->first && !c->closed && status != ETIMEDOUT) {
    if (seconds < 0) {
      until = deadline(LOOK);
      pthread_cond_timedwait(&c->changed, &c->mutex, &until);
      if (!c->first && kiln__interrupted())
        break;
    } else {
      status = pthread_cond_timedwait(&c->changed, &c->mutex, &until);
    }
  }
  message *m = c->first;
  if (m)
    c->first = m->next;
  pthread_mutex_unlock(&c->mutex);
  *n = m ? m->n : 0;
  return m ? m->bytes : NULL;
}

void kiln_channel_done(const char *bytes) {
  if (bytes)
    free((char *)(uintptr_t)bytes - offsetof(message, bytes));
}

void kiln_channel_close(kiln_channel *c) {
  pthread_mutex_lock(&c->mutex);
  c->closed = true;
  pthread_cond_broadcast(&c->changed);
  pthread_mutex_unlock(&c->mutex);
}
