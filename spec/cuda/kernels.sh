#!/bin/sh
# kernels.sh lines|races [JOBS]: builds the kernels for the emulator, beside the libkiln of build/release, so that
# something shows of every one of them, and runs the specs that launch them all, JOBS (one a core) at once.
#   lines   gcov: every line of cuda/*.cu and of what they include is run; prints those that are not
#   races   clang's thread sanitizer: no kernel races, whatever the order of its threads; needs clang
# The address sanitizer has such a round in spec/run.sh, which builds all of kiln for it anyway.
set -u
cd -- "$(dirname -- "$0")/../.." || exit 2
kind=${1-}
jobs=${2:-$(nproc)}
case $kind in
  lines)
    specs="ops/gradients cuda/agreement cuda/kernels ops/values nn_golden random sort ops/arguments cuda/devices cuda/graph
      cuda/graph_training autograd_inplace"
    set -- -DKILN_EMU_CHECK=lines
    targets=kiln_cuda_emu
    ;;
  races) # few elements: a launch takes milliseconds
    specs=cuda/agreement
    set -- -DKILN_EMU_CHECK=races -DCMAKE_CXX_COMPILER=clang++
    targets="kiln_cuda_emu kiln_lua"
    export LUAJIT="$PWD/build/races/spec_emu/lua" OMP_NUM_THREADS=1 TSAN_OPTIONS=exitcode=66
    ;;
  *)
    echo "usage: spec/cuda/kernels.sh lines|races [JOBS]" >&2
    exit 2
    ;;
esac
build=build/$kind
mkdir -p "$build"
# shellcheck disable=SC2086 # a list of words
{ cmake --preset release -B "$build" -DKILN_ONE_LEVEL=ON -DKILN_CUDA=OFF "$@" &&
  cmake --build "$build" --target $targets; } >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
find "$build" -name '*.gcda' -delete

export KILN_LIBRARY="$PWD/build/release/libkiln.so" KILN_CUDA_LIBRARY="$PWD/$build/libkiln_cuda_emu.so"
export KILN_SPEC_DEVICE=cuda OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
# shellcheck disable=SC2016 # the inner shell expands
echo "$specs" | tr ' ' '\n' | xargs -P "$jobs" -I NAME sh -c '
  log=$1/$(echo NAME | tr / -).log
  spec/run_spec.sh spec/NAME_spec.lua >"$log" 2>&1 || { cat "$log"; exit 1; }' sh "$build" || exit 1

[ "$kind" = lines ] || exit 0
cd "$build" && find . -path '*kiln_cuda_emu.dir*' -name '*.gcda' -exec gcov -t {} + 2>/dev/null >lines.gcov
cd ../.. && luajit spec/cuda/lines.lua <"$build/lines.gcov"
