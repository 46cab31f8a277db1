#!/bin/sh
# setup.sh [--tests] [--no-install]: from a fresh Debian 12 to `luajit train.lua` finding kiln from
# any folder.  Installs the Debian packages that are missing, builds, and installs into /usr/local
# (or $KILN_PREFIX).  As root, or as a user with sudo.  Safe to repeat: what is up to date is left
# alone, and it says what it does.
#   --tests       also the packages that spec/run.sh needs
#   --no-install  build only; needs neither root nor sudo where the packages are there
set -eu

build_packages="gcc libc6-dev cmake ninja-build luajit libopenblas-openmp-dev liblapacke-dev libdnnl-dev"
run_packages="zlib1g dataset-fashion-mnist"
test_packages="g++ clang libclang-rt-dev lua-busted lua-check clang-format luarocks make tmux curl"

root=$(cd -- "$(dirname -- "$0")/.." && pwd)
prefix=${KILN_PREFIX:-/usr/local}
modules=$prefix/share/lua/5.1/kiln
packages="$build_packages $run_packages"
targets=kiln
cuda=OFF # libkiln_cuda too, where there is nvcc and it is for use
install=yes
for option in "$@"; do
  case $option in
    --tests)
      packages="$packages $test_packages"
      targets="$targets kiln_cuda_emu planted_plain planted_address planted_thread"
      ;;
    --no-install) install=no ;;
    *)
      echo "setup.sh: unknown option $option; it takes --tests and --no-install" >&2
      exit 2
      ;;
  esac
done

say() { echo "setup: $*"; }

# Is there an nvcc that can compile the kernels (CUDA 12.8 or later)?
has_nvcc() {
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [ -x "$nvcc" ] || return 1
  release=$("$nvcc" --version | sed -n 's/.*release \([0-9]*\)\.\([0-9]*\).*/\1\2/p')
  [ "${release:-0}" -ge 128 ] && return
  say "$nvcc is older than CUDA 12.8: building for the CPU only"
  return 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "setup.sh: run this as root, or install sudo: $*" >&2
    exit 1
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@"; }

missing_packages() {
  for package in $packages; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      printf '%s ' "$package"
  done
}

install_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian; needed are the equivalents of: $packages"
    return
  fi
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  say "installing Debian packages: $missing"
  ls /var/lib/apt/lists/*Packages* >/dev/null 2>&1 || apt update
  # Lists that are there may be too old to install from.
  # shellcheck disable=SC2086 # a list of words
  apt install -y --no-install-recommends $missing ||
    { apt update && apt install -y --no-install-recommends $missing; }
}

# A number for everything that decides what gets built and installed.
sources() {
  cd -- "$root"
  find CMakeLists.txt CMakePresets.json core cuda lua -type f | LC_ALL=C sort | xargs -d '\n' sha256sum |
    sha256sum
}

build() {
  cd -- "$root"
  [ -f build/release/build.ninja ] || say "configuring build/release"
  mkdir -p build
  if [ $cuda = ON ]; then say "nvcc is here: building for CUDA too, which takes minutes"; fi
  cmake --preset release -DKILN_CUDA=$cuda >build/setup.log 2>&1 || { cat build/setup.log >&2; exit 1; }
  say "building build/release"
  # shellcheck disable=SC2086 # a list of words
  cmake --build --preset release --target $targets
}

if [ "$install" = yes ] && has_nvcc; then
  cuda=ON
  targets="$targets kiln_cuda"
  packages="$packages g++"
fi
install_packages
if [ "$install" = no ]; then
  build
  exit
fi

stamp=$(sources)
if [ -f "$prefix/lib/lua/5.1/libkiln.so" ] && [ "$(cat "$modules/.stamp" 2>/dev/null)" = "$stamp" ]; then
  say "kiln in $prefix is up to date"
  exit
fi
build
say "installing into $prefix"
writer=
[ -w "$prefix/share" ] && [ -w "$prefix/lib" ] || writer=as_root
$writer rm -rf "$modules" # modules that are no more must not stay behind
$writer cmake --install build/release --prefix "$prefix" >/dev/null
echo "$stamp" | $writer tee "$modules/.stamp" >/dev/null
say "done: luajit and kiln (in $prefix/bin) find it from any folder"
