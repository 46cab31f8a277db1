#!/bin/sh
# Sets kiln up if need be, then trains a convolutional network on Fashion-MNIST.  What is given
# goes to the example: `examples/run.sh --help` lists what it takes.
set -eu
here=$(cd -- "$(dirname -- "$0")" && pwd)
"$here/../rocks/setup.sh"
exec luajit "$here/03_fashion_cnn.lua" "$@"
