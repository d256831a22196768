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
  debian_packages=systemd,systemd-sysv,dbus,udev,init-system-helpers,libgcc-s1,libjpeg62-turbo,libstdc++6,libwebp7,libxkbcommon0,libyaml-0-2
  debian_packages+=,libpng16-16$renamed,libssl3$renamed,libv4l-0$renamed,libzbar0$renamed
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

# debian_test ROOT SCRIPT [PATIENCE]: has the system run a script of Tests/Support when it is booted, and then power itself off. What is waited
# for may take PATIENCE times as long as on a computer.
debian_test() {
  local root=$1 script=$2 patience=${3:-1}
  # The root is thrown away: dpkg need not wait for the disk.
  echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/test"
  install -m755 "Tests/Support/$script" "$root/usr/local/sbin/waymark-test"
  install -m644 Tests/Support/systemd/common "$root/usr/local/lib/waymark-test-common"
  cat > "$root/etc/systemd/system/waymark-test.service" <<UNIT
[Unit]
Description=The test
After=multi-user.target
[Service]
Type=oneshot
Environment=TEST_PATIENCE=$patience
ExecStart=/usr/local/sbin/waymark-test
ExecStopPost=/bin/systemctl --no-block poweroff
StandardOutput=file:/out/log
StandardError=file:/out/log
[Install]
WantedBy=default.target
UNIT
  mkdir -p "$root/etc/systemd/system/default.target.wants"
  if [ "$patience" -ne 1 ]; then
    mkdir -p "$root/etc/systemd/system/service.d" "$root/etc/systemd/system/waymark-test.service.d"
    printf '[Service]\nTimeoutStartSec=%d\n' $((20 * patience)) > "$root/etc/systemd/system/service.d/patience.conf"
    printf '[Service]\nTimeoutStartSec=infinity\n' > "$root/etc/systemd/system/waymark-test.service.d/patience.conf"
  fi
  ln -s ../waymark-test.service "$root/etc/systemd/system/default.target.wants/"
}

# debian_results FOLDER CONSOLE: prints and counts what a script reported that ran in a booted system; where it did not come to its end, its
# last words and the console's. Returns 1 where anything failed.
debian_results() {
  local out=$1 console=$2 passed failed
  cat "$out/results" 2>/dev/null || true
  passed=$(grep -c '^pass ' "$out/results" 2>/dev/null || true)
  failed=$(grep -c '^FAIL ' "$out/results" 2>/dev/null || true)
  if ! grep -q '^end$' "$out/results" 2>/dev/null; then
    say "$(basename "$0"): the test did not come to its end; its last words, and the console's:"
    tail -30 "$out/log" >&2 || true
    tail -15 "$console" >&2 || true
    failed=$((${failed:-0} + 1))
  elif [ "${failed:-0}" -gt 0 ]; then
    say "$(basename "$0"): the journal of the service:"
    tail -40 "$out/log" >&2 || true
  fi
  echo "${passed:-0} passed, ${failed:-0} failed"
  [ "${failed:-0}" -eq 0 ]
}

# debian_older PACKAGE FILE: makes an older package of it: another version, another description of the unit, another example, and a file that
# the newer one lacks.
debian_older() {
  local older
  older=$(mktemp -d)
  dpkg-deb --raw-extract "$1" "$older"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$older/DEBIAN/control"
  sed -i 's/^Description=/Description=OLDER /' "$older/lib/systemd/system/waymark.service"
  echo '# OLDER' >> "$older/etc/waymark/waymark.yaml"
  echo older > "$older/usr/share/waymark/older"
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$older" "$2" > /dev/null
  rm -rf "$older"
}

# Boots a fresh copy of it, which runs a script and powers itself off; prints what the script reported and counts it.
#
#   debian_boot SCRIPT FOLDER [OPTION…]     the script of Tests/Support; what it may read, seen as /given; further
#                                           options of systemd-nspawn
debian_boot() {
  local script=$1 given=$2 name
  shift 2
  name=$(basename "$0")-$$
  work=$(mktemp -d)
  # Removed on every exit; nothing of the host is mounted into it from here.
  trap 'rm -rf "$work"' EXIT
  cp -a --reflink=auto "$debian_store/base" "$work/root"
  mkdir "$work/out"
  debian_test "$work/root" "$script"
  say "$(basename "$0"): booting Debian ${debian_suite}"
  timeout --foreground "${WAYMARK_BOOT_TIMEOUT:-600}" systemd-nspawn --quiet --register=no --keep-unit --boot \
    --private-network --machine="$name" --directory="$work/root" --bind="$work/out:/out" --bind-ro="$given:/given" "$@" \
    < /dev/null > "$work/console" 2>&1 || say "$(basename "$0"): systemd-nspawn ended with status $?"
  if [ ! -e "$work/out/results" ] && ! grep -q 'Welcome to' "$work/console"; then
    tail -5 "$work/console" >&2
    skip "systemd-nspawn cannot boot here"
  fi
  debian_results "$work/out" "$work/console"
}
