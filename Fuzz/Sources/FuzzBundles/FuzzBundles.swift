import FuzzSupport
import Glibc
@testable import WaymarkOnboarding


/// Bundles as a stranger could write them, taken for signed: their tar, their manifest, their files.
@main
struct FuzzBundles {
  static func main() { fuzz(seeds: seeds) { feed($0, $1) } }
}

private func feed(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard count > 1 else { return 0 }
  let all = input(bytes, count)
  // How many bytes come at a time is the first byte's to say.
  let piece = Int(all[0]) * 8 + 1
  var rest = all[1...]
  let source: BundleReader.Source = { (wanted) throws(BundleError) in
    let part = Array(rest.prefix(min(wanted, piece)))
    rest = rest.dropFirst(part.count)
    return part
  }
  do throws(BundleError) {
    let reader = try BundleReader(source: source) { _, _ in true }
    var (size, taken, files) = (0, 0, 0)
    try reader.readFiles { (file) throws(BundleError) in
      require(
        !file.path.hasPrefix("/") && !file.path.split(separator: "/").contains(".."), "a path that leads elsewhere")
      size += file.size
      files += 1
    } take: { (bytes) throws(BundleError) in
      taken += bytes.count
    }
    require(taken == size, "other bytes than were promised")
    require(files == reader.manifest.files.count, "other files than were promised")
    let again = try? BundleManifest(json: reader.manifest.json)
    require(again == reader.manifest, "a manifest that cannot be written")
  } catch {
    return 0
  }
  return 0
}

/// Bundles as they are made, by a key of the moment: of nothing, of a file, of some.
private var seeds: [[UInt8]] {
  [[:], ["a": ""], ["keys.jwks": "{}", "scenes/a/scene.yaml": "name: a", "scenes/a/p.jpg": "x"]].compactMap { files in
    let folder = FuzzFile.path("bundle")
    mkdir(folder, 0o700)
    mkdir(folder + "/scenes", 0o700)
    mkdir(folder + "/scenes/a", 0o700)
    for (name, text) in files { FuzzFile.write(Array(text.utf8), to: "\(folder)/\(name)") }
    guard let key = try? SigningKey(generating: .edDSA) else { return nil }
    var bytes: [UInt8] = [255]
    let made = try? BundleWriter.write(folder: folder, name: "n", version: 1, made: "t", key: key) { bytes += $0 }
    return made == nil ? nil : bytes
  }
}
