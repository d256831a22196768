# Shared by the scripts beside it: where the project is, what it needs, how it is built. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# What cannot be tested on this computer is said, and counted by .ci/run. `skip` ends the whole script with status 77;
# `skip_part` continues with the rest of it.
skip_part() {
  say "$(basename "$0"): SKIPPED: $*"
  [ -z "${STAGES_SKIPPED:-}" ] || printf '%s: %s\n' "$(basename "$0")" "$*" >> "$STAGES_SKIPPED"
}
skip() { skip_part "$*"; exit 77; }

# Debian packages without which nothing compiles; the toolchain itself loads the last one.
# shellcheck disable=SC2034 # used by those that source this
build_packages=(g++ pkg-config libzbar-dev libv4l-dev libjpeg-dev libpng-dev libwebp-dev libyaml-dev zlib1g-dev libssl-dev libxkbcommon-dev
  libmosquitto-dev libsqlite3-dev libncurses6)
# The linker that Swift uses is a package of its own from Debian 13 on.
command -v ld.gold >/dev/null || build_packages+=(binutils-gold)

# installed NAME: whether the Debian package is.
installed() { dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }

# Installs those of the named Debian packages that are missing. What releases of Debian name differently is NAME|NAME: any one of them
# will do, and the first that this release has is installed.
need() {
  local missing=() chosen=() alternatives name one
  for name in "$@"; do
    IFS='|' read -ra alternatives <<< "$name"
    for one in "${alternatives[@]}"; do ! installed "$one" || continue 2; done
    missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get >/dev/null || die "Missing: ${missing[*]}. This is not a Debian: install their counterparts by hand."
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "Missing: ${missing[*]}. Install them as root: apt-get install ${missing[*]//|*/}"
    as_root=(sudo)
  fi
  say "Installing ${missing[*]}"
  # Scripts that run side by side take turns: apt-get does not wait for the lists of packages.
  local in_turn=(flock --close Scripts/common.sh "${as_root[@]}")
  "${in_turn[@]}" apt-get update -qq || say "apt-get update failed; trying with the package lists that are here."
  for name in "${missing[@]}"; do
    IFS='|' read -ra alternatives <<< "$name"
    name=${alternatives[0]}
    for one in "${alternatives[@]}"; do
      # A name that other packages merely provide has no version of its own.
      if apt-cache policy "$one" | grep '^  Candidate: [^(]' > /dev/null; then name=$one; break; fi
    done
    chosen+=("$name")
  done
  "${in_turn[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}" >&2 \
    || die "Could not install ${chosen[*]}. Install them as root: apt-get install ${chosen[*]}"
}

if ! command -v swift >/dev/null && [ -x /opt/swift/usr/bin/swift ]; then PATH="/opt/swift/usr/bin:$PATH"; fi
command -v swift >/dev/null \
  || die "No Swift toolchain on the PATH. Waymark needs Swift 6.3 or newer: https://www.swift.org/install"

# One configuration for the product and its tests, so that nothing is compiled twice. x86-64-v2 (SSE4.2, POPCNT) is the
# oldest processor that is served; wider vectors are chosen at run time.
build_flags=(-c release -Xswiftc -enable-testing)
if [ "$(uname -m)" = x86_64 ]; then build_flags+=(-Xcc -march=x86-64-v2); fi
