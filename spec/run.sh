#!/bin/sh
# run.sh [OPTION...] [FILE...]: installs what the tests need, builds, and runs every test: format
# and lint, the C tests and the CUDA kernels under the address, undefined-behaviour and thread sanitizers,
# whether every line of the kernels is run, the rock, each spec file in a process of its own, on the processor
# and on an emulated device, and each once more without the JIT compiler.  Ends with one line,
# `N passed, N failed, N skipped`, and a status to match.
#   FILE...      only these spec files (with and without the JIT), nothing else
#   --quick      neither the sanitizers nor the rock nor the second round without the JIT
#   --no-setup   neither packages nor build: test build/release as it is
#   -j N         processes side by side (default: one a core)
# A spec whose first line says `-- jit only: REASON` has no second round.
set -u
cd -- "$(dirname -- "$0")/.." || exit 2

jobs=$(nproc)
quick=
setup=yes
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --no-setup) setup= ;;
    -j) jobs=$2; shift ;;
    -j*) jobs=${1#-j} ;;
    -*) echo "run.sh: unknown option $1; it takes --quick, --no-setup and -j N" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done

passed=0 failed=0 skipped=0
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
trap 'exit 130' INT TERM

finish() {
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
  exit
}

# check NAME COMMAND...: one test that passes when the command does; its output shows when not.
check() {
  name=$1
  shift
  if "$@" >"$results/check" 2>&1; then
    passed=$((passed + 1))
    echo "ok    $name"
  else
    failed=$((failed + 1))
    echo "FAIL  $name"
    cat "$results/check"
  fi
}

# one OUT NAME COMMAND...: runs it into OUT.log, leaves `passed failed skipped` in OUT.sum, says so.
cat >"$results/one" <<'END'
out=$1 name=$2
shift 2
start=$(date +%s%N)
"$@" >"$out.log" 2>&1 </dev/null
status=$?
ms=$((($(date +%s%N) - start) / 1000000))
sum=$(tail -n 1 "$out.log" |
  sed -nE 's/^([0-9]+) passed, ([0-9]+) failed, ([0-9]+) skipped$/\1 \2 \3/p')
mark=ok
case $sum in
  '') sum="0 1 0" mark=DIED ;;
  *' 0 '*) if [ $status -ne 0 ]; then sum="0 1 0" mark=DIED; fi ;;
  *) mark=FAIL ;;
esac
echo "$sum" >"$out.sum"
# one write, so that lines of processes side by side do not mix
report=$(printf '%-5s %4d.%01d s  %s  (%s)' $mark $((ms / 1000)) $((ms % 1000 / 100)) "$name" "$sum")
[ $mark = ok ] || report="$report
exit status $status
$(tail -n 60 "$out.log")"
printf '%s\n' "$report"
END

# run_all ROUND COMMAND...: COMMAND FILE for every FILE on standard input, $jobs side by side.
run_all() {
  round=$1
  shift
  while read -r file; do
    echo "$results/$(echo "$round.$file" | tr / _) $file$round $* $file"
  done >"$results/jobs"
  xargs -r -P "$jobs" -L 1 sh "$results/one" <"$results/jobs"
  while read -r out file _; do
    read -r p f s <"$out.sum" || { echo "DIED  $file left no count"; p=0 f=1 s=0; }
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done <"$results/jobs"
}

# -- Set-up and build -------------------------------------------------------------------------

if [ -n "$setup" ]; then
  if ! rocks/setup.sh --tests --no-install; then
    failed=1
    finish
  fi
fi
KILN_LIBRARY=$PWD/build/release/libkiln.so
# Processes that share cores must sleep, not spin, while they wait for each other.
OMP_WAIT_POLICY=passive
export KILN_LIBRARY OMP_WAIT_POLICY

# -- Format, lint, C tests --------------------------------------------------------------------

if [ $# -gt 0 ]; then
  printf '%s\n' "$@" >"$results/specs"
else
  find spec -name '*_spec.lua' | LC_ALL=C sort >"$results/specs"
  check "clang-format" sh -c 'find core spec cuda -name "*.[ch]" -o -name "*.cc" -o -name "*.cu" |
    xargs clang-format --dry-run -Werror'
  check "comments stand as they were written" sh -c '! grep -rnE "^ \*[A-Za-z]" core cuda spec'
  check "luacheck" luacheck --no-color -q lua spec examples core/gen.lua
  if [ -z "$quick" ]; then
    echo "building build/asan"
    check "build with sanitizers" sh -c 'cmake --preset asan && cmake --build --preset asan'
    for source in spec/c/*.c; do
      echo "build/asan/spec_c/$(basename "$source" .c)"
    done >"$results/c"
    LSAN_OPTIONS=suppressions=$PWD/spec/c/leaks.supp:print_suppressions=0
    ASAN_OPTIONS=allocator_may_return_null=1 # asking for too much memory is tested
    KILN_ALLOC=direct # a cache would hide what is used after it was freed
    export ASAN_OPTIONS LSAN_OPTIONS KILN_ALLOC
    run_all "" timeout -k 10 1800 <"$results/c"
    printf 'spec/%s_spec.lua\n' ops/gradients ops/values cuda/agreement >"$results/kernels"
    run_all ":cuda-asan" env KILN_SPEC_DEVICE=cuda OPENBLAS_NUM_THREADS=1 ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" \
      "KILN_PRELOAD=$(gcc -print-file-name=libasan.so)" "KILN_LIBRARY=$PWD/build/asan/libkiln.so" \
      "KILN_CUDA_LIBRARY=$PWD/build/asan/libkiln_cuda_emu.so" spec/run_spec.sh <"$results/kernels"
    unset ASAN_OPTIONS LSAN_OPTIONS KILN_ALLOC
    echo "building build/tsan"
    check "build for the thread sanitizer" sh -c 'cmake --preset tsan &&
      cmake --build --preset tsan --target kiln spec_c_threads spec_c_lua_threads'
    printf 'build/tsan/spec_c/%s\n' threads lua_threads >"$results/c"
    # libgomp is not built for it: its barriers would look like races.
    run_all "" env OMP_NUM_THREADS=1 TSAN_OPTIONS=allocator_may_return_null=1 timeout -k 10 1800 <"$results/c"
    echo "building the kernels for gcov and for the thread sanitizer"
    check "every line of the kernels is run" spec/cuda/kernels.sh lines "$jobs"
    if command -v clang++ >/dev/null; then
      check "no kernel races" spec/cuda/kernels.sh races "$jobs"
    else
      skipped=$((skipped + 1))
      echo "skip  no kernel races: there is no clang++"
    fi
    echo "building a rock"
    check "rock" spec/rock.sh
  fi
fi

# -- Specs ------------------------------------------------------------------------------------

run_all "" spec/run_spec.sh <"$results/specs"

# Once more on an emulated CUDA device: all that spec/host_only.txt does not name; and what launches kernels
# in two more orders of their threads, with streams that run at once and as late as CUDA allows.
on_device() {
  round=$1
  shift
  run_all ":$round" env KILN_SPEC_DEVICE=cuda OPENBLAS_NUM_THREADS=1 \
    "KILN_CUDA_LIBRARY=$PWD/build/release/libkiln_cuda_emu.so" "$@" spec/run_spec.sh
}
spec_files() { sed -nE 's,^([^# ]+).*,spec/\1_spec.lua,p' "$@"; }
if [ $# -eq 0 ] && [ -f build/release/libkiln_cuda_emu.so ]; then
  spec_files spec/host_only.txt >"$results/host_only"
  check "spec/host_only.txt names specs" xargs -a "$results/host_only" ls
  grep -v '^spec/cuda/' "$results/specs" | grep -vxFf "$results/host_only" >"$results/device"
  on_device cuda <"$results/device"
  if [ -z "$quick" ]; then
    printf '%s\n' cuda/agreement cuda/kernels nn_golden ops/gradients ops/sizes ops/values random sort | spec_files >"$results/device"
    on_device cuda-rev-eager KILN_EMU_ORDER=rev KILN_EMU_ASYNC=0 <"$results/device"
    on_device cuda-rand KILN_EMU_ORDER=rand:7 <"$results/device"
  fi
fi
if [ -z "$quick" ]; then
  while read -r file; do
    head -n 1 "$file" | grep -q '^-- jit only: ' || echo "$file"
  done <"$results/specs" >"$results/again"
  run_all ":joff" spec/run_spec.sh -joff <"$results/again"
fi
finish
