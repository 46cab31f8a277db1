#!/bin/sh
# compile.sh: nvcc over every kernel, for all that KILN_CUDA_ARCHITECTURES names (compute capability 7.5, 8.0, 8.6,
# 9.0 and 12.0), every warning and every spilled register an error.  It needs nvcc and no GPU, and compiles
# what changed since its last run.  From nothing it takes many minutes, which is why spec/run.sh leaves it to
# whoever changes a kernel.
set -eu
cd -- "$(dirname -- "$0")/../.."
[ -f build/release/CMakeCache.txt ] || cmake --preset release
cmake --build build/release --target kiln_cuda
echo "no warning and no spill for $(sed -n 's/^KILN_CUDA_ARCHITECTURES:[A-Z]*=//p' build/release/CMakeCache.txt)"
