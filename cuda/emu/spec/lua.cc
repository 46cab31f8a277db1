/* lua.cc: `lua [-joff] SCRIPT [ARGUMENT...]` runs a Lua script as luajit does, in a process that
** the thread sanitizer was linked into: luajit's own program does not start under it.  It opens the
** library of LuaJIT, which Debian's luajit brings, and needs no header of it.
*/
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef struct lua_State lua_State;

static void *library;
template <class F> static F *find(const char *name) { return (F *)dlsym(library, name); }

/* `arg` and `...` are those of luajit; an error is shown with its traceback. */
static const char start[] =
    "local all, list, script = { ... }, { n = 0 }, nil\n"
    "for _, v in ipairs(all) do\n"
    "  if not script and v == '-joff' then jit.off()\n"
    "  elseif not script then script = v\n"
    "  else list.n = list.n + 1; list[list.n] = v end\n"
    "end\n"
    "arg = { [0] = script, unpack(list, 1, list.n) }\n"
    "local ok, why = xpcall(function() assert(loadfile(script))(unpack(list, 1, list.n)) end,\n"
    "  debug.traceback)\n"
    "if not ok then io.stderr:write(why, '\\n'); os.exit(1) end\n";

int main(int n, char **words) {
  library = dlopen("libluajit-5.1.so.2", RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    fprintf(stderr, "lua: %s\n", dlerror());
    return 2;
  }
  lua_State *l = find<lua_State *(void)>("luaL_newstate")();
  find<void(lua_State *)>("luaL_openlibs")(l);
  int status = find<int(lua_State *, const char *)>("luaL_loadstring")(l, start);
  for (int i = 1; i < n; i++)
    find<const char *(lua_State *, const char *)>("lua_pushstring")(l, words[i]);
  if (!status)
    status = find<int(lua_State *, int, int, int)>("lua_pcall")(l, n - 1, 0, 0);
  if (status)
    fprintf(stderr, "lua: %s\n",
            find<const char *(lua_State *, int, size_t *)>("lua_tolstring")(l, -1, NULL));
  find<void(lua_State *)>("lua_close")(l);
  return status != 0;
}
