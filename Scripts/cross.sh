# Builds for arm64 on amd64: Swift of Debian unstable as compiler, its arm64 runtime as target, Debian 13 with its arm64 libraries as
# sysroot. Sourced after common.sh; needs root, since compiler and sysroot are Debian systems in folders.
# shellcheck shell=bash

cross_folder=$PWD/.build/arm64
cross_triple=aarch64-unknown-linux-gnu
cross_suite=trixie
cross_mirror=${WAYMARK_MIRROR:-http://deb.debian.org/debian}
# Those of build_packages, and the compiler's own for that processor.
cross_libraries=(libc6-dev libgcc-14-dev libstdc++-14-dev linux-libc-dev libzbar-dev libv4l-dev libjpeg-dev libpng-dev libwebp-dev libyaml-dev
  libxkbcommon-dev libssl-dev zlib1g-dev libmosquitto-dev libsqlite3-dev)
# What links and packs looks into its programs with, what they load, and what is needed to run them.
cross_tests=(binutils-aarch64-linux-gnu libtesseract5:arm64 libtiff6:arm64 libheif1:arm64 libjxl0.11:arm64
  libpoppler-glib8t64:arm64 qemu-user tesseract-ocr-eng tesseract-ocr-deu xkb-data libx11-data)

# cross_in ROOT COMMAND…: runs a command in one of the systems, which sees the project where it is.
cross_in() {
  local root=$1
  shift
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --mount bash -euc 'root=$1 project=$2; shift 2
    mount --bind /proc "$root/proc"; mount --bind /dev "$root/dev"
    mkdir -p "$root$project"; mount --bind "$project" "$root$project"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive \
      chroot "$root" /bin/sh -c "cd \"\$0\" && exec \"\$@\"" "$project" "$@"' cross "$root" "$PWD" "$@"
}

# cross_emulated COMMAND…: runs a command of this processor in a namespace of its own, as root of it with every user, in which the kernel
# starts programs for arm64 with qemu-user. Ends with 78 where the kernel keeps no formats of programs per namespace (before Linux 6.7).
cross_emulated() {
  local channel process status=0
  channel=$(mktemp -d)
  mkfifo "$channel/ready" "$channel/go"
  # shellcheck disable=SC2016 # expanded by the inner shell
  unshare --user --mount bash -euc 'channel=$1; shift; echo > "$channel/ready"; read -r _ < "$channel/go"
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc || exit 78
    # The first bytes of a program for aarch64. The interpreter is opened here, so that it is found in every root.
    printf "%s" ":arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$0:F" \
      > /proc/sys/fs/binfmt_misc/register
    exec "$@"' "$cross_folder/sysroot/usr/bin/qemu-aarch64" "$channel" "$@" &
  process=$!
  read -r _ < "$channel/ready"
  echo '0 0 65536' > "/proc/$process/uid_map"
  echo '0 0 65536' > "/proc/$process/gid_map"
  echo > "$channel/go"
  wait "$process" || status=$?
  rm -rf "$channel"
  return "$status"
}

# cross_system NAME SUITE PACKAGE…: a Debian system in a folder, made once.
cross_system() {
  local name=$1 suite=$2 root=$cross_folder/$1
  shift 2
  if [ "$(cat "$cross_folder/$name.complete" 2>/dev/null)" = "$suite $*" ]; then return; fi
  say "$(basename "$0"): making the system of the $name, $suite (minutes, once)"
  if [ ! -e "$cross_folder/$name.base" ]; then
    rm -rf "$root"
    debootstrap --variant=minbase --include=ca-certificates,dpkg-dev "$suite" "$root" "$cross_mirror" > "$cross_folder/$name.log" 2>&1 \
      || skip "debootstrap failed: $(tail -1 "$cross_folder/$name.log")"
    : > "$cross_folder/$name.base"
  fi
  # Nothing is started in it; the disk is not waited for; a mirror that stands still is one, too: its signature counts.
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
  chmod +x "$root/usr/sbin/policy-rc.d"
  echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/waymark"
  echo 'Acquire::Check-Valid-Until "false";' > "$root/etc/apt/apt.conf.d/waymark"
  cross_in "$root" dpkg --add-architecture arm64
  cross_in "$root" apt-get update -qq >> "$cross_folder/$name.log" 2>&1 || skip "no package lists of $suite; see $cross_folder/$name.log"
  cross_in "$root" apt-get install -y -qq --no-install-recommends "$@" >> "$cross_folder/$name.log" 2>&1 \
    || skip "packages of $suite could not be installed; see $cross_folder/$name.log"
  rm -rf "$root"/var/cache/apt/archives/*.deb
  echo "$suite $*" > "$cross_folder/$name.complete"
}

# Makes a Debian 13 of that processor alone, in $cross_folder/system/root: a kiosk before Waymark comes, and what the samples want. After
# debian_choose of debian-root.sh.
cross_root() {
  local store=$cross_folder/system packages
  # shellcheck disable=SC2154 # set by debian_choose
  packages=$debian_packages,kmod,python3,libtesseract5,tesseract-ocr-eng,tesseract-ocr-deu,libtiff6,libheif1,libheif-plugin-libde265
  packages+=,libheif-plugin-dav1d,libjxl0.11,libpoppler-glib8t64
  if [ "$(cat "$store/root.complete" 2>/dev/null)" = "$packages" ]; then return; fi
  [ -x "$cross_folder/sysroot/usr/bin/qemu-aarch64" ] || skip "there is no $cross_folder/sysroot: Scripts/package --arch arm64 makes it"
  (need mmdebstrap) || skip "cannot install mmdebstrap"
  say "$(basename "$0"): making Debian 13 for arm64 (minutes, once; see $store/log)"
  rm -rf "$store"
  mkdir -p "$store"
  # What dpkg unpacks and configures there runs under qemu-user; debootstrap would sort all of Debian's packages there, too.
  # shellcheck disable=SC2154
  cross_emulated mmdebstrap --mode=root --architectures=arm64 --variant=minbase --dpkgopt=force-unsafe-io \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --include="$packages" "$debian_suite" "$store/root" "$cross_mirror" > "$store/log" 2>&1 \
    || skip "mmdebstrap failed: $(grep '^E: ' "$store/log" | head -1)"
  # dpkg would leave out the documentation of waymark as well.
  rm -f "$store"/root/etc/dpkg/dpkg.cfg.d/99mmdebstrap
  mkdir -p "$store/root/given" "$store/root/out"
  echo "$packages" > "$store/root.complete"
}

# Makes compiler, runtime and sysroot where they are missing, and the Swift SDK that names them.
cross_prepare() {
  [ "$(id -u)" -eq 0 ] || skip "needs root, for Debian systems in folders"
  [ "$(dpkg --print-architecture)" = amd64 ] || skip "cross building is from amd64"
  (need debootstrap) || skip "cannot install debootstrap"
  mkdir -p "$cross_folder"
  cross_system compiler sid swiftlang lld git libc6-dev libstdc++-15-dev
  cross_system sysroot "$cross_suite" "${cross_libraries[@]/%/:arm64}" "${cross_tests[@]}"

  local version runtime=$cross_folder/runtime part
  version=$(cross_in "$cross_folder/compiler" dpkg-query -W -f '${Version}' swiftlang)
  if [ "$(cat "$cross_folder/runtime.complete" 2>/dev/null)" != "$version" ]; then
    say "$(basename "$0"): fetching the Swift runtime for arm64 (530 MB, once)"
    rm -rf "$runtime" "$cross_folder/debs"
    mkdir -p "$runtime" "$cross_folder/debs"
    for part in swiftlang libswiftlang; do
      cross_in "$cross_folder/compiler" sh -c "cd '$cross_folder/debs' && apt-get download -qq $part:arm64=$version" \
        || skip "cannot download $part:arm64 $version"
    done
    for part in "$cross_folder/debs"/*.deb; do
      dpkg-deb --fsys-tarfile "$part" | tar -x -C "$runtime" --wildcards './usr/libexec/swift/lib/swift' \
        './usr/libexec/swift/lib/swift_static' './usr/libexec/swift/lib/clang' 2>/dev/null || true
    done
    [ -e "$runtime/usr/libexec/swift/lib/swift_static/linux/libswiftCore.a" ] || die "$(basename "$0"): the runtime is not in the packages of $version."
    rm -rf "$cross_folder/debs"
    echo "$version" > "$cross_folder/runtime.complete"
  fi
  cross_sdk
}

# Writes the Swift SDK: where headers, libraries and runtime of the target are, and with what is linked.
cross_sdk() {
  local bundle=$cross_folder/sdks/waymark.artifactbundle libraries=$cross_folder/runtime/usr/libexec/swift/lib
  mkdir -p "$bundle/debian"
  # Where the linker's driver looks for what starts a program.
  local kind
  for kind in swift swift_static; do ln -sfn "../../../runtime/usr/libexec/swift/lib/$kind" "$cross_folder/sysroot/usr/lib/$kind"; done
  cat > "$bundle/info.json" <<JSON
{"schemaVersion": "1.0", "artifacts": {"debian13-arm64": {
  "type": "swiftSDK", "version": "1", "variants": [{"path": "debian"}]}}}
JSON
  cat > "$bundle/debian/swift-sdk.json" <<JSON
{"schemaVersion": "4.0", "targetTriples": {"$cross_triple": {
  "sdkRootPath": "$cross_folder/sysroot", "swiftResourcesPath": "$libraries/swift",
  "swiftStaticResourcesPath": "$libraries/swift_static", "toolsetPaths": ["toolset.json"]}}}
JSON
  # The linker of LLVM, since that of Debian's Swift knows only its own processor.
  cat > "$bundle/debian/toolset.json" <<JSON
{"schemaVersion": "1.0",
 "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld", "-tools-directory", "/usr/bin",
   "-Xclang-linker", "--sysroot=$cross_folder/sysroot", "-Xcc", "--sysroot=$cross_folder/sysroot"]}}
JSON
}

# Compiles the named products, or with --build-tests the tests, into .build/arm64/build.
cross_build() {
  local products=("$@") product
  mkdir -p "$cross_folder/build"
  # The sources that the usual build has are not fetched again.
  for product in checkouts repositories artifacts workspace-state.json; do
    [ -e "$cross_folder/build/$product" ] || [ ! -e ".build/$product" ] || cp -a ".build/$product" "$cross_folder/build/"
  done
  for product in "${products[@]}"; do
    case "$product" in
    --*) ;;
    *) product="--product=$product" ;;
    esac
    # Debian's compiler verifies its own work after every pass, which takes half the time.
    cross_in "$cross_folder/compiler" swift build --jobs "$(nproc)" --scratch-path "$cross_folder/build" --swift-sdks-path "$cross_folder/sdks" \
      --swift-sdk debian13-arm64 --disable-automatic-resolution -c release -Xswiftc -enable-testing \
      -Xswiftc -Xfrontend -Xswiftc -sil-verify-none "$product" >&2
  done
}
