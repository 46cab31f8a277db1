#!/bin/sh
# rock.sh [--cuda]: kiln as a rock, from a copy of the source tree and without a network: make into an empty
# tree, use from another folder, pack, install what was packed, remove; and a build that lacks a library says
# which package brings it.  Says what failed and stops there.  For this machine's instruction set only.
#   --cuda   the same with the rock kiln-cuda, for one kind of GPU: needs nvcc, and minutes
set -u
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LUA_PATH LUA_CPATH KILN_LIBRARY
KILN_ONE_LEVEL=ON
CMAKE_BUILD_PARALLEL_LEVEL=$(nproc)
KILN_CUDA_ARCHITECTURES=90
export KILN_ONE_LEVEL CMAKE_BUILD_PARALLEL_LEVEL KILN_CUDA_ARCHITECTURES

step() {
  name=$1
  shift
  echo "rock: $name"
  "$@" >"$work/log" 2>&1 || {
    cat "$work/log"
    echo "rock: FAILED: $name"
    exit 1
  }
}

offline=
if unshare -rn true 2>/dev/null; then offline="unshare -rn"; fi
rocks() { $offline luarocks --lua-version=5.1 "$@"; }

# What is installed in a tree, beside LuaRocks' own notes.
files() { find "$1" -type f ! -name manifest | sort; }

# uses TREE: the command, a script and require, from another folder.
uses() (
  cd / && tree=$1
  [ "$("$tree/bin/kiln" -e 'kiln.ones(2, 3):sum():item()')" = 6 ] || return 1
  "$tree/bin/kiln" "$root/examples/01_regression.lua" --steps 20 | grep 'learnt' || return 1
  eval "$(luarocks --lua-version=5.1 path --tree="$tree")"
  luajit -e "local c = require('kiln').config() assert(c.library == '$tree/lib/lua/5.1/libkiln.so', c.library)"
)

# finds TREE: kiln finds the libkiln_cuda of its tree, and says what is missing besides.
finds() (
  cd / && "$1/bin/kiln" -e "
    local kiln = require 'kiln'
    local n, why = kiln.cuda.device_count(), kiln.cuda.why()
    print(n, why)
    assert(n > 0 or why ~= '' and not why:find 'libkiln_cuda')
    if n > 0 then assert(kiln.ones(2, { device = 'cuda' }):sum():item() == 2) end"
)

# lacks PACKAGE FOLDERS [OPTION...]: configuring without a look into FOLDERS fails and names PACKAGE.
lacks() {
  package=$1 folders=$2
  shift 2
  rm -rf "$work/lacking"
  if cmake -S "$work/source" -B "$work/lacking" -DCMAKE_MAKE_PROGRAM="$(command -v make)" "$@" \
    -DCMAKE_C_COMPILER="$(command -v gcc)" "-DCMAKE_IGNORE_PATH=$folders" >"$work/lacking.log" 2>&1; then
    echo "it was configured all the same"
    return 1
  fi
  cat "$work/lacking.log"
  grep -q "apt-get install $package" "$work/lacking.log"
}

copy() {
  mkdir "$work/source"
  tar -C "$root" --exclude=./build --exclude=./build.luarocks --exclude=./.git -c . | tar -x -C "$work/source"
}

step "a copy of the tree" copy
cd "$work/source" || exit 1
multiarch=$(gcc -print-multiarch)
step "without OpenBLAS" lacks libopenblas-openmp-dev \
  "/usr/include/$multiarch/openblas-openmp;/usr/include/$multiarch"
step "without LAPACKE" lacks liblapacke-dev /usr/include
step "without oneDNN" lacks libdnnl-dev "/usr/include;/usr/include/$multiarch"
step "without LuaJIT" lacks luajit "/usr/bin;/bin"
step "kiln-cuda without nvcc" lacks cuda-toolkit-13-0 "/usr/local/cuda/bin;$(echo "$PATH" | tr : ';')" \
  -DKILN_CUDA=ON
step "make" rocks make --tree="$work/tree" rocks/kiln-scm-1.rockspec
step "use" uses "$work/tree"
cuda=
if [ "${1-}" = --cuda ]; then cuda=kiln-cuda; fi
for rock in $cuda; do
  step "make $rock" rocks make --tree="$work/tree" "rocks/$rock-scm-1.rockspec"
  step "find $rock" finds "$work/tree"
done
cd "$work" || exit 1
for rock in kiln $cuda; do
  step "pack $rock" rocks pack "$rock" --tree="$work/tree"
  step "install what was packed of $rock" rocks install --tree="$work/other" "$work/$rock"-scm-1.*.rock
done
step "use what was packed" uses "$work/other"
if [ -n "$cuda" ]; then step "find what was packed" finds "$work/other"; fi
for tree in tree other; do
  for rock in $cuda kiln; do step "remove $rock from $tree" rocks remove "$rock" --tree="$work/$tree"; done
  step "nothing left in $tree" test -z "$(files "$work/$tree")"
done
