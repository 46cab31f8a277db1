/* lua_threads.c: two LuaJIT states in two threads build and differentiate graphs over shared
** parameters.  Its reader is the thread sanitizer, which cannot run the luajit program itself: this
** program opens LuaJIT's library (which Debian's luajit brings) and starts the states.
**
** What each state runs is the text below: kiln as users have it, with a Function, hooks, views, an
** optimizer's kind of update and errors.  The parameters are handed over as addresses.
*/
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>

enum { STATES = 2, ROUNDS = 40, WIDTH = 16 };

typedef struct lua_State lua_State;
static struct {
  lua_State *(*newstate)(void);
  void (*openlibs)(lua_State *);
  int (*loadstring)(lua_State *, const char *);
  int (*pcall)(lua_State *, int, int, int);
  const char *(*tolstring)(lua_State *, int, size_t *);
  void (*pushnumber)(lua_State *, double);
  void (*pushlightuserdata)(lua_State *, void *);
  void (*settop)(lua_State *, int);
  void (*close)(lua_State *);
} lua;

#define FIND(name, symbol) (*(void **)&lua.name = dlsym(library, symbol), lua.name != NULL)

static bool find_lua(void) {
  void *library = dlopen("libluajit-5.1.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return false;
  return FIND(newstate, "luaL_newstate") && FIND(openlibs, "luaL_openlibs") &&
         FIND(loadstring, "luaL_loadstring") && FIND(pcall, "lua_pcall") &&
         FIND(tolstring, "lua_tolstring") && FIND(pushnumber, "lua_pushnumber") &&
         FIND(pushlightuserdata, "lua_pushlightuserdata") && FIND(settop, "lua_settop") &&
         FIND(close, "lua_close");
}

static const char prelude[] =
    "package.path = '" SPEC_ROOT "/lua/?.lua;" SPEC_ROOT "/lua/?/init.lua;' .. package.path\n"
    "kiln = require 'kiln'\n"
    "local ffi = require 'ffi'\n"
    "local C, wrap = require('kiln.ffi').C, require('kiln.handles').wrap\n"
    "function borrow(p) return wrap(C.kiln_tensor_retain(ffi.cast('kiln_tensor *', p))) end\n";

/* Each round: a graph of arithmetic, views, a Function and a hook over the shared w and b; first
** autograd.grad, whose values are known, then backward() into the shared .grad. */
static const char work[] =
    "local pw, pb, k, rounds = ...\n"
    "local w, b = borrow(pw), borrow(pb)\n"
    "local Scale = kiln.autograd.Function:extend 'Scale'\n"
    "function Scale.forward(ctx, x, by)\n"
    "  ctx.by = by\n"
    "  ctx:save_for_backward(x)\n"
    "  return x * by\n"
    "end\n"
    "function Scale.backward(ctx, g) local _ = ctx.saved_tensors[1]; return g * ctx.by end\n"
    "local hooked = 0\n"
    "local function loss()\n"
    "  local h = Scale.apply(w * k, 2):view(4, 4) + b\n"
    "  h:register_hook(function(g) hooked = hooked + 1; return g * 1 end)\n"
    "  local copy = h * 1\n"
    "  copy[1]:mul_(3)\n"
    "  return copy:sum()\n"
    "end\n"
    "for round = 1, rounds do\n"
    "  local gw, gb = kiln.autograd.grad(loss(), { w, b })\n"
    "  assert(gw:sum():item() == 2 * k * (3 * 4 + 12), 'the gradient of w')\n"
    "  assert(gb:sum():item() == 3 * 4 + 12, 'the gradient of b')\n"
    "  loss():backward()\n"
    "  assert(not pcall(function() return w:mul_(2) end), 'a leaf was written')\n"
    "  kiln.manual_seed(round)\n"
    "  if round % 10 == 0 then kiln.collect() end\n"
    "end\n"
    "assert(hooked == 2 * rounds, 'hooks')\n"
    "kiln.collect()\n";

/* A graph that one state makes and another one holds. */
static const char maker[] = "local pw, slot = ...\n"
                            "local w = borrow(pw)\n"
                            "local Twice = kiln.autograd.Function:extend 'Twice'\n"
                            "function Twice.forward(_, x) return x * 2 end\n"
                            "function Twice.backward(_, g) return g * 2 end\n"
                            "y = Twice.apply(w):sum()\n"
                            "local ffi, C = require 'ffi', require('kiln.ffi').C\n"
                            "ffi.cast('kiln_tensor **', slot)[0] = C.kiln_tensor_retain(y.p)\n";

/* Its own Functions come and go under keys that the maker's have too, but for the state's number.
 */
static const char stranger[] =
    "local p = ...\n"
    "local ok, why = pcall(function() return borrow(p):backward { retain_graph = true } end)\n"
    "assert(not ok and why:find 'Twice belongs to another Lua state', why)\n"
    "local Mine = kiln.autograd.Function:extend 'Mine'\n"
    "function Mine.forward(_, x) return x * 3 end\n"
    "function Mine.backward(_, g) return g * 3 end\n"
    "for _ = 1, 100 do\n"
    "  local x = kiln.ones(1, { requires_grad = true })\n"
    "  Mine.apply(x):backward()\n"
    "  assert(x.grad:item() == 3)\n"
    "end\n"
    "kiln.collect()\n";

static const char owner[] = "kiln.collect()\n"
                            "y:backward()\n"
                            "y = nil\n"
                            "kiln.collect()\n";

static kiln_tensor *weight, *bias;

static bool run(lua_State *L, int arguments) {
  if (lua.pcall(L, arguments, 0, 0) == 0)
    return true;
  printf("  lua: %s\n", lua.tolstring(L, -1, NULL));
  return false;
}

static lua_State *open_state(void) {
  lua_State *L = lua.newstate();
  if (!L)
    return NULL;
  lua.openlibs(L);
  CHECK(lua.loadstring(L, prelude) == 0 && run(L, 0));
  return L;
}

static void *state_of_its_own(void *arg) {
  lua_State *L = open_state();
  CHECK(L);
  if (!L)
    return NULL;
  bool ok = lua.loadstring(L, work) == 0;
  CHECK(ok);
  if (ok) {
    lua.pushlightuserdata(L, weight);
    lua.pushlightuserdata(L, bias);
    lua.pushnumber(L, (double)(intptr_t)arg + 1);
    lua.pushnumber(L, ROUNDS);
    CHECK(run(L, 4));
  }
  lua.close(L);
  return NULL;
}

static void two_states_share_parameters(void) {
  REQUIRE(find_lua());
  weight = kiln_full(SHAPE(WIDTH), 1, KILN_FLOAT64, 0);
  bias = kiln_full(SHAPE(4), 1, KILN_FLOAT64, 0);
  REQUIRE(weight && bias);
  CHECK(kiln_set_requires_grad(weight, true) == KILN_OK);
  CHECK(kiln_set_requires_grad(bias, true) == KILN_OK);
  pthread_t thread[STATES];
  for (intptr_t i = 0; i < STATES; i++)
    REQUIRE(pthread_create(&thread[i], NULL, state_of_its_own, (void *)i) == 0);
  for (int i = 0; i < STATES; i++)
    pthread_join(thread[i], NULL);
  kiln_tensor *gw = kiln_grad(weight), *gb = kiln_grad(bias);
  CHECK(gw && test_sum(gw) == ROUNDS * (1 + 2) * 2 * (3 * 4 + 12));
  CHECK(gb && test_sum(gb) == ROUNDS * STATES * (3 * 4 + 12));
  kiln_tensor_release(gw);
  kiln_tensor_release(gb);
  kiln_tensor_release(weight);
  kiln_tensor_release(bias);
}

static void two_states_in_one_thread(void) {
  REQUIRE(find_lua());
  kiln_tensor *y = NULL;
  weight = kiln_full(SHAPE(WIDTH), 1, KILN_FLOAT64, 0);
  REQUIRE(weight && kiln_set_requires_grad(weight, true) == KILN_OK);
  lua_State *a = open_state(), *b = open_state();
  REQUIRE(a && b);
  CHECK(lua.loadstring(a, maker) == 0);
  lua.pushlightuserdata(a, weight);
  lua.pushlightuserdata(a, &y);
  CHECK(run(a, 2));
  CHECK(lua.loadstring(b, stranger) == 0);
  lua.pushlightuserdata(b, y);
  CHECK(run(b, 1));
  kiln_tensor_release(y);
  CHECK(lua.loadstring(a, owner) == 0 && run(a, 0));
  kiln_tensor *g = kiln_grad(weight);
  CHECK(g && test_sum(g) == 2 * WIDTH);
  lua.close(a);
  lua.close(b);
  kiln_tensor_release(g);
  kiln_tensor_release(weight);
}

static const test tests[] = {
    {"two Lua states share parameters", two_states_share_parameters},
    {"two Lua states in one thread keep their Functions apart", two_states_in_one_thread},
};

int main(void) {
  setenv("KILN_LIBRARY", SPEC_LIBRARY, 1);
  return test_main(tests, sizeof tests / sizeof *tests);
}
