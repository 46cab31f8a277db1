-- luarocks --lua-version=5.1 make rocks/kiln-scm-1.rockspec, from the root of the source tree.
-- No other rock is needed, so it works offline.
rockspec_format = "3.0"
package = "kiln"
version = "scm-1"
source = { url = "git+file://." } -- `make` builds the tree it is started in
description = {
  summary = "A deep-learning runtime scripted in Lua",
  detailed = "Tensors, automatic differentiation and neural networks for LuaJIT, on a C core.",
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = { "lua == 5.1" } -- LuaJIT; kiln says so when it is loaded by another Lua
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    KILN_TESTS = "OFF",
    KILN_ROCK = "kiln",
    KILN_INSTALL_LUADIR = "$(LUADIR)",
    KILN_INSTALL_LIBDIR = "$(LIBDIR)",
    KILN_INSTALL_BINDIR = "$(BINDIR)",
  },
}
test = { type = "command", command = "spec/run.sh" }
