#!/bin/sh
# run_spec.sh [-joff] FILE: one spec file in a process of its own, from the root of the
# source tree.  The last line is its count.  A process that dies, hangs, leaves early (even with
# os.exit(0)) or runs no test has failed, whatever its exit status says.
# $KILN_LIBRARY names the libkiln.so to test; $KILN_PRELOAD is loaded first (a sanitizer's library);
# KILN_SPEC_DEVICE=cuda runs it on that device ($KILN_CUDA_LIBRARY names the backend); specs of spec/cuda choose
# their devices themselves.
options=
if [ "$1" = -joff ]; then
  options=-joff
  shift
fi
file=$1
case $file in
  spec/cuda/*) unset KILN_SPEC_DEVICE ;;
esac
LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua;${LUA_PATH:-;}"
export LUA_PATH
out=$(mktemp)
trap 'rm -f "$out"' EXIT
LD_PRELOAD=${KILN_PRELOAD-} timeout -k 10 "${KILN_SPEC_TIMEOUT:-1800}" \
  "${LUAJIT:-luajit}" $options /usr/bin/busted --ignore-lua -o spec/plain.lua \
  --helper=spec/support/device.lua "$file" \
  >"$out" 2>&1 </dev/null
status=$?
count=$(tail -n 1 "$out" | grep -Ex '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped')

case $count in
  '') reason="printed no count" ;;
  '0 passed, 0 failed, 0 skipped') reason="ran no test" ;;
  *', 0 failed,'*) if [ $status -ne 0 ]; then reason="had no failure"; fi ;;
esac
cat "$out"
if [ -n "${reason-}" ]; then
  echo "$file: exit status $status, and it $reason"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
exit $status
