# Links a program of the usual build once more, with the Swift runtime inside: nothing is compiled for it, and what is packed is what was
# tested. Sourced after common.sh.
# shellcheck shell=bash disable=SC2154 # cross_… are set by cross.sh

# Where the objects are: of this processor, or of arm64 (after cross.sh was sourced).
linking_objects() {
  if [ "${cross:-no}" = yes ]; then echo "$cross_folder/build/$cross_triple/release"; else echo .build/release; fi
}

# linking_tool NAME ARGUMENT…: a program of binutils for the processor that is linked for.
linking_tool() {
  local name=$1
  shift
  if [ "${cross:-no}" = yes ]; then cross_in "$cross_folder/sysroot" "aarch64-linux-gnu-$name" "$@"; else "$name" "$@"; fi
}

linking_compiler() {
  if [ "${cross:-no}" = yes ]; then
    local libraries=$cross_folder/runtime/usr/libexec/swift/lib
    cross_in "$cross_folder/compiler" swiftc -target "$cross_triple" -sdk "$cross_folder/sysroot" -resource-dir "$libraries/swift_static" \
      -use-ld=lld -tools-directory /usr/bin -Xclang-linker "--sysroot=$cross_folder/sysroot" -Xcc "--sysroot=$cross_folder/sysroot" "$@"
  else
    swiftc "$@"
  fi
}

# check_buffers LIST: ends the script where C code of the project calls a function of the C library that has a variant which knows the
# size of the buffer (_FORTIFY_SOURCE), and not that variant.
check_buffers() {
  local own object
  own=$(cd Sources && printf '%s|' C*/)
  own=${own//\//}
  while read -r object; do
    if readelf --syms --wide "$object" | grep -E 'UND (v?sn?printf|st[pr]cpy|strcat|explicit_bzero|longjmp)$' > /dev/null; then
      die "$(basename "$0"): $object calls a function of the C library without the check of its buffer."
    fi
  done < <(tr -d "'" < "$1" | grep -E "/(${own%|})\.build/")
}

# link_program PRODUCT MODULE OUTPUT [LIBRARY…]: OUTPUT without symbols, and OUTPUT.debug with them.
link_program() {
  local product=$1 module=$2 output=$3 objects work built
  shift 3
  built=$(linking_objects)
  objects=$built/$product.product/Objects.LinkFileList
  [ -e "$objects" ] || die "$(basename "$0"): $product is not built; leave --no-build out."
  if [ -e "$output" ] && [ -e "$output.debug" ] && [ "$output" -nt "$built/$product" ]; then return; fi
  say "$(basename "$0"): linking $product"
  work=$(dirname "$output")
  # The objects name the runtime's libraries for shared linking; an object that was compiled for static linking also names what those
  # need. The whole of Foundation brings the tables of ICU with it: 40 MB.
  local foundation=FoundationEssentials
  [ -z "$(tr -d "'" < "$objects" | tr '\n' '\0' | xargs -0 grep -laP -- '-lFoundation\0' || true)" ] || foundation=Foundation
  printf 'import %s\n' Dispatch "$foundation" Synchronization > "$work/runtime.swift"
  linking_compiler -parse-as-library -static-stdlib -c "$work/runtime.swift" -o "$work/runtime.o"
  # Foundation's own use of mktemp is not reported. The build's identity leads from the program to its symbols. No other program loads
  # from this one: without exported names the linker leaves out what of the runtime is not used.
  linking_compiler -static-stdlib -emit-executable -o "$output.part" -module-name "$module" "@$objects" "$work/runtime.o" \
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --gc-sections -Xlinker --build-id=sha1 -Xlinker --defsym \
    -Xlinker "main=${module}_main" "$@" -Xlinker --no-export-dynamic 2> "$work/link.log" \
    || { cat "$work/link.log" >&2; exit 1; }
  linking_tool objcopy --only-keep-debug "$output.part" "$output.debug"
  linking_tool strip --strip-unneeded "$output.part"
  mv "$output.part" "$output"
  readelf --dynamic "$output" | grep BIND_NOW > /dev/null || die "$(basename "$0"): $product binds its symbols late."
  check_buffers "$objects"
  if readelf --dynamic "$output" | grep 'NEEDED.*\(libswift\|libFoundation\)' > /dev/null; then die "$(basename "$0"): the runtime was not linked in."; fi
}
