#!/bin/sh
# Installs the system parts that tests use where that needs no asking (root and apt); says what is missing elsewhere.
set -eu
missing=""
command -v tesseract >/dev/null 2>&1 || missing="$missing tesseract-ocr"
command -v git-lfs >/dev/null 2>&1 || missing="$missing git-lfs"
command -v curl >/dev/null 2>&1 || missing="$missing curl"
command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
[ -n "$missing" ] || exit 0
if [ "${SYSTEM_DEPS:-1}" != 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    exec make system-deps
fi
echo "Not installed:$missing. Tests that need them are left out; install them (on Debian: make system-deps as root)."
