#!/bin/sh
# specs.sh FOLDER [JOBS]: every spec that means something on a device (spec/host_only.txt), on device cuda, those
# first that say most, JOBS (4) at once: a process waits for the device or the interpreter most of its
# time.  What each prints is FOLDER/NAME.spec.log; a line a spec, and `N passed, N failed, N skipped` at the end.
# $KILN_LIBRARY and $KILN_CUDA_LIBRARY name what is tested.
set -u
cd -- "$(dirname -- "$0")/../.." || exit 2
out=${1:?usage: spec/gpu/specs.sh FOLDER [JOBS]}
lists=$(mktemp -d)
trap 'rm -rf "$lists"' EXIT

printf 'spec/%s_spec.lua\n' ops/values cuda/devices nn_golden ops/gradients cuda/kernels cuda/training ops/inplace \
  ops/views >"$lists/first"
sed -nE 's,^([^# ]+).*,spec/\1_spec.lua,p' spec/host_only.txt >"$lists/host"
find spec -name '*_spec.lua' | LC_ALL=C sort | grep -vxFf "$lists/host" | grep -vxFf "$lists/first" >"$lists/rest"
rm -f "$out"/*.spec.log

cat >"$lists/one" <<'END'
log=$1/$(echo "$2" | sed 's,^spec/,,; s,_spec.lua$,,; s,/,-,g').spec.log
KILN_SPEC_DEVICE=cuda spec/run_spec.sh "$2" >"$log" 2>&1
echo "$2: $(tail -n 1 "$log")"
END
cat "$lists/first" "$lists/rest" | xargs -P "${2:-4}" -I FILE sh "$lists/one" "$out" FILE

tail -qn 1 "$out"/*.spec.log | awk '{ p += $1; f += $3; s += $5 }
  END { print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f > 0 || p == 0 }'
