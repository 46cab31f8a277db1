#!/bin/sh
# run.sh [OPTION...]: times kiln against PyTorch (and JAX, where the table of cases names it) on this machine's CPU, and
# writes docs/performance.md.  Builds kiln first; PyTorch and JAX come from PyPI, each into an environment
# outside the source tree.
#   --torch VENV      a Python environment with PyTorch (default: one in the cache directory, made if missing)
#   --jax [VENV]      JAX too; VENV as above
#   --threads "1 2"   with how many threads
#   --only PATTERN    these cases only (a Lua pattern, as in 'pointwise.add'); prints, and writes no page
#   --runs N          full runs, one after the other (default 2)
#   --cpu             seconds of the processor, not of the clock: for a busy machine, with one thread only
#   --out FILE        the page (default docs/performance.md)
#   --page            writes the page from the runs that were recorded last, measures nothing
#   --smoke           every case once on few elements, results only: needs neither PyTorch nor JAX
#   --golden          stores what PyTorch computes on few elements, for --smoke
set -eu
cd -- "$(dirname -- "$0")/../.."

usage() { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2; }

cache=${XDG_CACHE_HOME:-$HOME/.cache}/kiln-bench
torch= jax= threads="1 2" only= runs=2 cpu= out=docs/performance.md mode=measure
while [ $# -gt 0 ]; do
  case $1 in
    --torch) torch=$2; shift ;;
    --jax)
      jax=$cache/jax
      case ${2-} in ''|-*) ;; *) jax=$2; shift ;; esac ;;
    --threads) threads=$2; shift ;;
    --only) only=$2; shift ;;
    --runs) runs=$2; shift ;;
    --cpu) cpu=--cpu ;;
    --out) out=$2; shift ;;
    --page|--smoke|--golden) mode=${1#--} ;;
    *) echo "run.sh: unknown option $1" >&2; usage ;;
  esac
  shift
done

# environment VENV PACKAGE...: makes it if it is not there.
environment() {
  venv=$1
  shift
  [ -x "$venv/bin/python" ] && return
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "$@"
}

LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;${LUA_PATH:-;}"
export LUA_PATH
recorded=spec/bench/recorded
if [ $mode = page ]; then
  exec luajit spec/bench/page.lua "$out" $recorded/*.lua
fi

if [ -z "${KILN_LIBRARY-}" ]; then
  cmake --preset release >/dev/null
  cmake --build --preset release >/dev/null
  KILN_LIBRARY=$PWD/build/release/libkiln.so
  export KILN_LIBRARY
fi
if [ $mode = smoke ]; then
  exec spec/run_spec.sh spec/bench/smoke_spec.lua
fi

torch=${torch:-$cache/torch}
environment "$torch" numpy torch
if [ $mode = golden ]; then
  exec luajit spec/bench/golden.lua "$torch/bin/python" spec/bench/smoke_values.lua
fi
if [ -n "$jax" ]; then
  environment "$jax" numpy jax
  jax=$jax/bin/python
fi

measure() {
  luajit spec/bench/main.lua --torch "$torch/bin/python" --jax "$jax" --threads "$threads" --only "$only" $cpu "$@"
}
if [ -n "$only" ] || [ -n "$cpu" ]; then
  measure
  exit
fi
mkdir -p $recorded
for i in $(seq "$runs"); do
  echo "run $i of $runs"
  measure --record "$recorded/run$i.lua"
done
luajit spec/bench/page.lua "$out" $recorded/*.lua
