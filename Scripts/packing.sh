# Shared by the scripts that make Debian packages: their options, version and date, dependencies, sums. Sourced after
# common.sh.
# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is used by those that source this, and the other way round
source Scripts/linking.sh

# packing_options ARGUMENT…: reads the options that all have; see Scripts/package.
packing_options() {
  folder=.build/package build=yes compression=-Zxz lint=yes cross=no symbols=no
  architecture=$(dpkg --print-architecture) || die "$(basename "$0"): this is not a Debian."
  while [ $# -gt 0 ]; do
    case "$1" in
    --output) folder=$2; shift 2 ;;
    --no-build) build=no; shift ;;
    --fast) compression='-Zgzip -z1'; shift ;;
    --no-lint) lint=no; shift ;;
    --debug-symbols) symbols=yes; shift ;;
    --arch)
      if [ "$2" != "$architecture" ]; then
        [ "$2" = arm64 ] || die "$(basename "$0"): builds for $architecture and arm64 only."
        cross=yes
      fi
      architecture=$2
      shift 2
      ;;
    *) die "$(basename "$0"): there is no $1; see the head of Scripts/package" ;;
    esac
  done
  version=$(sed -n 's/^package let waymarkVersion = "\(.*\)"$/\1/p' Sources/Foundation/WaymarkSystem/Version.swift)
  [ -n "$version" ] || die "$(basename "$0"): Sources/Foundation/WaymarkSystem/Version.swift states no version."
  # Files are as old as the change that is packed, so that the same tree makes the same bytes.
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
  export SOURCE_DATE_EPOCH
  date_of_change=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
  umask 022
  need dpkg-dev python3
  [ "$lint" = no ] || need lintian
  mkdir -p "$folder"
  if [ "$cross" = yes ]; then
    source Scripts/cross.sh
    cross_prepare
    need qemu-user
  else
    need "${build_packages[@]}"
  fi
}

# packing_folder NAME: the folder in which a script works, one for each processor.
packing_folder() {
  work=.build/$1
  [ "$cross" = no ] || work=.build/arm64/$1
  mkdir -p "$work"
}

# build_products PRODUCT…
build_products() {
  local product
  [ "$build" = yes ] || return 0
  if [ "$cross" = yes ]; then
    cross_build "$@"
  else
    for product in "$@"; do swift build "${build_flags[@]}" --product "$product" >&2; done
  fi
}

# runnable PROGRAM: a file that runs it here, prints its path.
runnable() {
  if [ "$cross" = no ]; then
    echo "$1"
    return
  fi
  printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$cross_folder/sysroot" "$(readlink -f "$1")" > "$1.run"
  chmod +x "$1.run"
  echo "$1.run"
}

# dependencies ROOT PACKAGE: what dpkg-shlibdeps finds for the program of that name in the package's tree. Libraries that Debian 13
# renamed when time became 64 bits wide on other processors are the same here: either name will do.
dependencies() {
  local program found run=()
  program=$(readlink -f "$1/usr/bin/$2")
  mkdir -p "$work/shlibs/debian" "$1/DEBIAN"
  printf 'Source: waymark\n\nPackage: %s\nArchitecture: any\n' "$2" > "$work/shlibs/debian/control"
  [ "$cross" = no ] || run=(cross_in "$cross_folder/sysroot" env "DEB_HOST_ARCH=$architecture")
  # shellcheck disable=SC2016 # expanded by the inner shell
  found=$("${run[@]}" sh -c 'cd "$0" && dpkg-shlibdeps --warnings=0 -O "$1"' "$PWD/$work/shlibs" "$program" | sed -n 's/^shlibs:Depends=//p')
  [ -n "$found" ] || die "$(basename "$0"): dpkg-shlibdeps found no dependencies of $2."
  sed -E 's/, /\n/g' <<< "$found" \
    | sed -E 's/^(libpng16-16|libssl3|libzbar0|libv4l-0)t64(.*)$/&| \1\2/; t; s/^(libpng16-16|libssl3|libzbar0|libv4l-0)( .*|)$/& | \1t64\2/; t' \
    | sed -E 's/([^ ])\| /\1 | /' | paste -sd, | sed 's/,/, /g'
}

# short_changelog PACKAGE: Debian's, which leads to that of waymark.
short_changelog() {
  printf '%s (%s) unstable; urgency=medium\n\n  * See the changelog of waymark.\n\n -- %s  %s\n' "$1" "$version" \
    'Waymark maintainers <maintainers@waymark.example>' "$date_of_change" | gzip -9n
}

# fill_control TEMPLATE ROOT [SHLIBS]: version, processor, size and dependencies.
fill_control() {
  local size
  # The sum of what is in the files, as Debian counts it: what a disk makes of it differs.
  size=$(find "$2" -path "$2/DEBIAN" -prune -o \( -type f -printf '%s\n' -o -printf '0\n' \) \
    | awk '{ sum += int(($1 + 1023) / 1024) + ($1 == 0) } END { print sum }')
  mkdir -p "$2/DEBIAN"
  sed -e "s/@VERSION@/$version/g; s/@ARCHITECTURE@/$architecture/; s/@SIZE@/$size/; s/@SHLIBS@/${3:-}/" "$1" > "$2/DEBIAN/control"
}

# make_package ROOT FILE: sums what is in it, and packs it.
make_package() {
  local root=$1 file=$2
  find "$root" -path "$root/DEBIAN" -prune -o -type d -exec chmod 755 {} +
  (cd "$root" && find . -type f ! -path './DEBIAN/*' ! -path './etc/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0r md5sum) \
    > "$root/DEBIAN/md5sums"
  chmod 644 "$root/DEBIAN/md5sums" "$root/DEBIAN/control"
  # Not newer than the change: dpkg-deb keeps older dates as they are, and those of a checkout are by chance.
  find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  # shellcheck disable=SC2086
  dpkg-deb --root-owner-group $compression --build "$root" "$file" >/dev/null
}

# make_symbols PROGRAM PACKAGE: the package of debug symbols, where --debug-symbols asks for it.
make_symbols() {
  local program=$1 name=$2 identity root=$work/$2-dbgsym
  [ "$symbols" = yes ] || return 0
  identity=$(readelf --notes "$program" | sed -n 's/^ *Build ID: //p')
  [ -n "$identity" ] || die "$(basename "$0"): $program has no identity of its build."
  rm -rf "$root"
  install -D -m644 "$program.debug" "$root/usr/lib/debug/.build-id/${identity:0:2}/${identity:2}.debug"
  mkdir -p "$root/usr/share/doc" "$root/DEBIAN"
  ln -s "$name" "$root/usr/share/doc/$name-dbgsym"
  cat > "$work/$name-dbgsym.in" <<CONTROL
Package: $name-dbgsym
Source: waymark
Version: @VERSION@
Auto-Built-Package: debug-symbols
Architecture: @ARCHITECTURE@
Maintainer: Waymark maintainers <maintainers@waymark.example>
Installed-Size: @SIZE@
Depends: $name (= @VERSION@)
Section: debug
Priority: optional
Description: debug symbols for $name
Build-Ids: $identity
CONTROL
  fill_control "$work/$name-dbgsym.in" "$root"
  make_package "$root" "$folder/$name-dbgsym_${version}_$architecture.deb"
}

# check_packages FILE…: Debian's own checks, of which neither errors nor warnings are left.
check_packages() {
  if [ "$lint" = yes ]; then lintian --fail-on error,warning --tag-display-limit 0 "$@" >&2; fi
}
