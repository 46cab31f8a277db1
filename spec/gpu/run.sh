#!/bin/sh
# run.sh FOLDER: what there is to see on a machine with a GPU, in under 8 minutes, as a report in FOLDER: the
# machine, the build for its architecture, the specs on device cuda, compute-sanitizer over a short
# program, and benchmarks beside PyTorch where a Python with torch is found.
# A step that fails or runs out of its time is reported and the next one begins; the status says whether all
# was well.  What the machine lacks is reported too.  NVIDIA's libraries that only pip knows are named by
# KILN_CUDA_LIBDIR (found if left out).
#   KILN_GPU_BUDGET     seconds for everything, 480 when left out
#   KILN_GPU_BUILD      a build folder to use as it is
#   KILN_CUDA_LIBRARY   the backend, the build's libkiln_cuda.so when left out; with libkiln_cuda_emu.so the
#                       script tries itself where there is no GPU, and its times mean nothing
#   KILN_GPU_SIZE       the side of the benchmarks' matrices, 4096 when left out
#   PYTHON              a Python with torch, python3 when left out
set -u
cd -- "$(dirname -- "$0")/../.." || exit 2
out=${1:?usage: spec/gpu/run.sh FOLDER}
mkdir -p "$out" && out=$(cd -- "$out" && pwd)
budget=${KILN_GPU_BUDGET:-480}
began=$(date +%s)
build=${KILN_GPU_BUILD:-build/gpu}
python=${PYTHON:-python3}
size=${KILN_GPU_SIZE:-4096}
failed=0
kept=0 # seconds that the steps to come must have

left() { echo $((budget - kept - ($(date +%s) - began))); }
report() { echo "| $1 | $2 | $3 |" >>"$out/report.md"; }

# lacks PROGRAM STEP: says so if the machine lacks it.
lacks() {
  ! command -v "$1" >/dev/null || return 1
  report "$2" "left out" "there is no $1"
  failed=1
}

# step NAME SECONDS COMMAND...: at most so long, and no longer than the budget lasts; what it prints is NAME.log.
step() {
  name=$1 limit=$2
  shift 2
  [ "$limit" -le "$(left)" ] || limit=$(left)
  if [ "$limit" -lt 5 ]; then
    report "$name" "no time left" ""
    failed=1
    return 1
  fi
  start=$(date +%s)
  timeout -k 5 "$limit" "$@" >"$out/$name.log" 2>&1 </dev/null
  status=$?
  seconds=$(($(date +%s) - start))
  case $status in
    0) verdict=ok ;;
    124 | 137) verdict="ran out of its $limit s" failed=1 ;;
    *) verdict="failed ($status)" failed=1 ;;
  esac
  report "$name" "$verdict" "$seconds s, $(tail -n 1 "$out/$name.log" | cut -c 1-100 | tr '|' '/')"
  return $status
}

# The report, its status, and how long it all took.
finish() {
  echo >>"$out/report.md"
  echo "$(($(date +%s) - began)) s in all" >>"$out/report.md"
  cat "$out/report.md"
  exit $failed
}

# The folders of pip's NVIDIA packages, with ':' between.
pip_folders() {
  "$python" - 2>/dev/null <<'END'
import glob, os, site
found = [d for s in site.getsitepackages() for d in glob.glob(os.path.join(s, "nvidia", "*", "lib"))]
print(":".join(sorted(found)))
END
}

{
  echo "# kiln on a GPU, $(date -u '+%Y-%m-%d %H:%M') UTC"
  echo
  nvidia-smi --query-gpu=name,driver_version,memory.total,compute_cap --format=csv 2>&1
  echo
  echo "| step | verdict | time, last line |"
  echo "|---|---|---|"
} >"$out/report.md"

KILN_CUDA_LIBDIR=${KILN_CUDA_LIBDIR-$(pip_folders)}
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc 0-9)

# -- Build: half of the time at most ------------------------------------------------------------

kept=240
if [ -z "${KILN_GPU_BUILD-}" ]; then
  step configure 30 cmake --preset release -B "$build" -DKILN_ONE_LEVEL=ON -DKILN_CUDA=ON -DKILN_TESTS=OFF \
    "-DKILN_CUDA_ARCHITECTURES=${capability:-90}" &&
    step build 210 cmake --build "$build" -j "$(nproc)"
fi
KILN_LIBRARY=$PWD/$build/libkiln.so
KILN_CUDA_LIBRARY=${KILN_CUDA_LIBRARY:-$PWD/$build/libkiln_cuda.so}
LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;$PWD/?.lua;;"
export KILN_LIBRARY KILN_CUDA_LIBRARY KILN_CUDA_LIBDIR LUA_PATH

step device 20 luajit -e 'local k = require "kiln"
  assert(k.cuda.is_available(), k.cuda.why())
  for i = 1, k.cuda.device_count() do
    local p = k.cuda.get_device_properties(i)
    print(p.name, p.major .. "." .. p.minor, p.multi_processor_count, p.total_memory, p.runtime, p.driver)
  end
  print(k.ones({ 2, 2 }, { device = "cuda" }):matmul(k.ones({ 2, 2 }, { device = "cuda" })):sum():item())' || {
  report "all else" "left out" "it needs a device"
  finish
}

# -- Benchmarks come before what may take all the time that is left -----------------------------

step timings 60 luajit spec/gpu/timings.lua "$size"
if "$python" -c 'import torch' 2>/dev/null; then
  step timings-torch 60 "$python" spec/gpu/timings.py "$size"
else
  report timings-torch "left out" "$python has no torch"
fi

kept=60
lacks busted specs || step specs 150 spec/gpu/specs.sh "$out" $((($(nproc) + 1) / 2))

kept=0
if ! lacks compute-sanitizer sanitizers; then
  for tool in memcheck racecheck initcheck; do
    step "$tool" 40 compute-sanitizer --tool $tool --error-exitcode 9 luajit spec/gpu/short.lua
  done
fi
finish
