#!/bin/sh
# run.sh FOLDER: what there is to see on a machine with a GPU, in under 8 minutes, as a report in FOLDER: the
# machine, the build for its architecture, the specs on device cuda, compute-sanitizer over a short
# program, cuDNN's plans, and benchmarks beside PyTorch where a Python with torch is found.
# A step that fails or runs out of its time is reported and the next one begins; the status says whether all
# was well.  NVIDIA's libraries that only pip knows are named by KILN_CUDA_LIBDIR (found if left out).
#   KILN_GPU_BUDGET   seconds for everything, 480 when left out
#   KILN_GPU_BUILD    a build folder to use as it is
#   PYTHON            a Python with torch, python3 when left out
set -u
cd -- "$(dirname -- "$0")/../.." || exit 2
out=${1:?usage: spec/gpu/run.sh FOLDER}
mkdir -p "$out" && out=$(cd -- "$out" && pwd)
budget=${KILN_GPU_BUDGET:-480}
began=$(date +%s)
build=${KILN_GPU_BUILD:-build/gpu}
python=${PYTHON:-python3}
failed=0

left() { echo $((budget - ($(date +%s) - began))); }

# step NAME SECONDS COMMAND...: at most so long, and no longer than the budget lasts; what it prints is NAME.log.
step() {
  name=$1 limit=$2
  shift 2
  [ "$limit" -le "$(left)" ] || limit=$(left)
  if [ "$limit" -lt 5 ]; then
    echo "| $name | no time left | |" >>"$out/report.md"
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
  echo "| $name | $verdict | $seconds s, $(tail -n 1 "$out/$name.log" | cut -c 1-100 | tr '|' '/') |" >>"$out/report.md"
  return $status
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
export KILN_CUDA_LIBDIR
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)

if [ -z "${KILN_GPU_BUILD-}" ]; then
  step configure 30 cmake --preset release -B "$build" -DKILN_ONE_LEVEL=ON -DKILN_CUDA=ON -DKILN_TESTS=OFF \
    "-DKILN_CUDA_ARCHITECTURES=${capability:-90}" &&
    step build 240 cmake --build "$build" -j "$(nproc)"
fi
KILN_LIBRARY=$PWD/$build/libkiln.so
KILN_CUDA_LIBRARY=$PWD/$build/libkiln_cuda.so
LUA_PATH="$PWD/lua/?.lua;$PWD/lua/?/init.lua;$PWD/?.lua;;"
export KILN_LIBRARY KILN_CUDA_LIBRARY LUA_PATH

step device 20 luajit -e 'local k = require "kiln"
  assert(k.cuda.is_available(), k.cuda.why())
  for i = 1, k.cuda.device_count() do
    local p = k.cuda.get_device_properties(i)
    print(p.name, p.major .. "." .. p.minor, p.multi_processor_count, p.total_memory, p.runtime, p.driver)
  end
  print(k.ones({ 2, 2 }, { device = "cuda" }):matmul(k.ones({ 2, 2 }, { device = "cuda" })))' || {
  echo "nothing else can run" >>"$out/report.md"
  cat "$out/report.md"
  exit 1
}

if command -v busted >/dev/null; then
  for spec in cuda/devices ops/values nn_golden ops/inplace ops/views ops/gradients cuda/training; do
    step "$(echo "$spec" | tr / -)" 60 env KILN_SPEC_DEVICE=cuda KILN_SPEC_TIMEOUT=60 spec/run_spec.sh \
      "spec/${spec}_spec.lua"
  done
fi

if command -v compute-sanitizer >/dev/null; then
  for tool in memcheck racecheck initcheck; do
    step "$tool" 45 compute-sanitizer --tool $tool --error-exitcode 9 luajit spec/gpu/short.lua
  done
fi

step timings 60 luajit spec/gpu/timings.lua
if "$python" -c 'import torch' 2>/dev/null; then
  step timings-torch 60 "$python" spec/gpu/timings.py
fi

echo >>"$out/report.md"
echo "$(($(date +%s) - began)) s in all" >>"$out/report.md"
cat "$out/report.md"
exit $failed
