-- luarocks --lua-version=5.1 make rocks/kiln-cuda-scm-1.rockspec, from the root of the source tree, beside the
-- rock `kiln` of the same tree.  libkiln_cuda.so only: kiln finds it next to its own library, and says in
-- kiln.cuda.why() when the two are of different builds.
rockspec_format = "3.0"
package = "kiln-cuda"
version = "scm-1"
source = { url = "git+file://." } -- `make` builds the tree it is started in
description = {
  summary = "kiln on NVIDIA GPUs",
  detailed = "The CUDA backend of kiln; nvcc is needed to build it, a GPU only to use it.",
  license = "MIT",
}
supported_platforms = { "linux" }
dependencies = { "lua == 5.1", "kiln" }
build = {
  type = "cmake",
  variables = {
    CMAKE_BUILD_TYPE = "Release",
    KILN_TESTS = "OFF",
    KILN_ROCK = "kiln-cuda",
    KILN_CUDA = "ON",
    KILN_ONE_LEVEL = "ON", -- of the libkiln that it is linked against, which is not installed
    KILN_INSTALL_LIBDIR = "$(LIBDIR)",
  },
}
