# Links a program of the usual build once more, with the Swift runtime inside: nothing is compiled for it, and what is packed is what was
# tested. Sourced after common.sh.
# shellcheck shell=bash

# link_program PRODUCT MODULE OUTPUT [LIBRARY…]
link_program() {
  local product=$1 module=$2 output=$3 objects work
  shift 3
  objects=.build/release/$product.product/Objects.LinkFileList
  [ -e "$objects" ] || die "$(basename "$0"): $product is not built; leave --no-build out."
  if [ -e "$output" ] && [ "$output" -nt ".build/release/$product" ]; then return; fi
  say "$(basename "$0"): linking $product"
  work=$(dirname "$output")
  # The objects name the runtime's libraries as the shared ones want it; an object that was compiled for the static ones names what
  # those need besides.
  printf 'import %s\n' Dispatch Foundation Synchronization > "$work/runtime.swift"
  swiftc -parse-as-library -static-stdlib -c "$work/runtime.swift" -o "$work/runtime.o"
  # Foundation's own use of mktemp is not reported.
  swiftc -static-stdlib -emit-executable -o "$output.part" -module-name "$module" "@$objects" "$work/runtime.o" \
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker --gc-sections -Xlinker --defsym -Xlinker "main=${module}_main" "$@" 2> "$work/link.log" \
    || { cat "$work/link.log" >&2; exit 1; }
  strip --strip-unneeded "$output.part"
  mv "$output.part" "$output"
  readelf --dynamic "$output" | grep -q BIND_NOW || die "$(basename "$0"): $product binds its symbols late."
  if ldd "$output" | grep -q 'libswift\|libFoundation'; then die "$(basename "$0"): the runtime was not linked in."; fi
}
