# A Debian system in a folder, booted with its own systemd: for the tests of units and package. Sourced after common.sh.
# shellcheck shell=bash

# debian_choose RELEASE: 12 or 13.
debian_choose() {
  case "$1" in
  12) debian_suite=bookworm ;;
  13) debian_suite=trixie ;;
  *) die "$(basename "$0"): Debian 12 and 13 are tested, not $1." ;;
  esac
  # A kiosk before Waymark comes has: init, devices, and the libraries that the package names. Debian 13 renamed some of them.
  local renamed=''
  [ "$debian_suite" = bookworm ] || renamed=t64
  debian_packages=systemd,systemd-sysv,dbus,udev,init-system-helpers,libgcc-s1,libjpeg62-turbo,libstdc++6,libwebp7,libxkbcommon0
  debian_packages+=,libpng16-16$renamed,libv4l-0$renamed,libzbar0$renamed
  debian_store=$PWD/.build/debian-root/$debian_suite
}

# Makes the clean system once; needs root, debootstrap, systemd-nspawn and Debian's mirror.
debian_base() {
  [ "$(id -u)" -eq 0 ] || skip "needs root, for a Debian root and systemd-nspawn"
  command -v apt-get >/dev/null || skip "needs Debian"
  [ -n "${debian_suite:-}" ] || debian_choose 12
  (need debootstrap systemd-container) || skip "cannot install debootstrap and systemd-container"
  local wanted="$debian_suite $debian_packages"
  if [ ! -e "$debian_store/base.complete" ] || [ "$(cat "$debian_store/base.complete")" != "$wanted" ]; then
    say "$(basename "$0"): making a Debian root (about a minute, once)"
    rm -rf "$debian_store"; mkdir -p "$debian_store"
    debootstrap --variant=minbase --include="$debian_packages" "$debian_suite" "$debian_store/base" \
      > "$debian_store/debootstrap.log" 2>&1 || skip "debootstrap failed: $(tail -1 "$debian_store/debootstrap.log")"
    rm -rf "$debian_store/base/var/cache/apt/archives/"*.deb
    echo "$wanted" > "$debian_store/base.complete"
  fi
}

# debian_test ROOT SCRIPT: has the system run a script of Tests/Support when it is booted, and then power itself off.
debian_test() {
  local root=$1 script=$2
  # The root is thrown away: dpkg need not wait for the disk.
  echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/test"
  install -m755 "Tests/Support/$script" "$root/usr/local/sbin/waymark-test"
  install -m644 Tests/Support/systemd/common "$root/usr/local/lib/waymark-test-common"
  cat > "$root/etc/systemd/system/waymark-test.service" <<'UNIT'
[Unit]
Description=The test
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/waymark-test
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/out/log
StandardError=file:/out/log
[Install]
WantedBy=default.target
UNIT
  mkdir -p "$root/etc/systemd/system/default.target.wants"
  ln -s ../waymark-test.service "$root/etc/systemd/system/default.target.wants/"
}

# Boots a fresh copy of it, which runs a script and powers itself off; prints what the script reported and counts it.
#
#   debian_boot SCRIPT FOLDER [OPTION…]     the script of Tests/Support; what it may read, seen as /given; further
#                                           options of systemd-nspawn
debian_boot() {
  local script=$1 given=$2 name passed failed
  shift 2
  name=$(basename "$0")-$$
  work=$(mktemp -d)
  # Removed whatever happens; nothing of the host is mounted into it from here.
  trap 'rm -rf "$work"' EXIT
  cp -a --reflink=auto "$debian_store/base" "$work/root"
  mkdir "$work/out"
  debian_test "$work/root" "$script"
  say "$(basename "$0"): booting Debian ${debian_suite}"
  timeout --foreground "${WAYMARK_BOOT_TIMEOUT:-600}" systemd-nspawn --quiet --register=no --keep-unit --boot \
    --private-network --machine="$name" --directory="$work/root" --bind="$work/out:/out" --bind-ro="$given:/given" "$@" \
    < /dev/null > "$work/console" 2>&1 || say "$(basename "$0"): systemd-nspawn ended with status $?"
  cat "$work/out/results" 2>/dev/null || true
  passed=$(grep -c '^pass ' "$work/out/results" 2>/dev/null || true)
  failed=$(grep -c '^FAIL ' "$work/out/results" 2>/dev/null || true)
  if [ ! -e "$work/out/results" ] && ! grep -q 'Welcome to' "$work/console"; then
    tail -5 "$work/console" >&2
    skip "systemd-nspawn cannot boot here"
  fi
  if ! grep -q '^end$' "$work/out/results" 2>/dev/null; then
    say "$(basename "$0"): the test did not come to its end; its last words, and the console's:"
    tail -30 "$work/out/log" >&2 || true
    tail -15 "$work/console" >&2 || true
    failed=$((${failed:-0} + 1))
  elif [ "${failed:-0}" -gt 0 ]; then
    say "$(basename "$0"): the journal of the service:"
    tail -40 "$work/out/log" >&2 || true
  fi
  echo "${passed:-0} passed, ${failed:-0} failed"
  [ "${failed:-0}" -eq 0 ]
}
