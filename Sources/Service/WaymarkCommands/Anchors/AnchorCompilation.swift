import Foundation
import WaymarkAnchors
import WaymarkImage
import WaymarkSystem
import WaymarkWorker

/// Compiles pictures on several threads, with a progress bar.
enum AnchorCompilation {
  /// The compiled anchors in the order of the entries; a picture that cannot be used is told and left out.
  ///
  /// - Parameters:
  ///   - features: the most features an anchor keeps; `nil`: by the size of the library.
  ///   - others: how many anchors the library holds besides.
  ///   - parts: what need not be compiled again, and where what was compiled is kept meanwhile.
  ///   - tried: whether the detector is asked how well it finds each, which takes five times as long.
  /// - Returns: the anchors, the names of those that were not compiled again, and the worst status of the pictures left out.
  static func run(
    _ entries: [AnchorEntry], jobs: Int, features: Int? = nil, beside others: Int = 0, parts: PartialBuild? = nil,
    tried: Bool = false
  ) -> (anchors: [CompiledAnchor], reused: Set<String>, status: ExitStatus) {
    var settings = AnchorCompiler.Settings(anchors: entries.count + others)
    if let features { settings.limit = features }
    var anchors: [CompiledAnchor] = []
    var status = ExitStatus.success
    var failures = 0
    var reused: Set<String> = []
    let known = parts?.known
    var progress = ProgressBar(total: entries.count)
    OrderedTasks.run(
      entries, jobs: jobs,
      worker: { [settings] in
        let compiler = AnchorCompiler(settings: settings)
        let trial = tried ? RecallTest() : nil
        return { (entry: AnchorEntry) -> Result<(anchor: CompiledAnchor, isNew: Bool), any Error> in
          Result {
            let picture = try PictureDecoder().gray(
              PictureConverter().pages(of: PictureFile.read(entry.file), keepsColour: false).page(1)
            ).image
            if let known, let reference = try? AnchorCompiler.reference(name: entry.name, picture: picture),
              var anchor = known(
                entry.name, AnchorCompiler.detail(of: picture, reference: reference, settings) ?? reference, settings)
            {
              anchor.physicalWidth = entry.physicalWidth
              anchor.radius = entry.radius
              return (anchor, false)
            }
            var anchor = try compiler.compile(
              name: entry.name, physicalWidth: entry.physicalWidth, picture: picture)
            anchor.radius = entry.radius
            if let trial { try trial.judge(&anchor) } else { try AnchorCompiler.check(anchor) }
            return (anchor, true)
          }
        }
      },
      deliver: { result in
        switch result {
        case .success((let anchor, let isNew)):
          if isNew { parts?.keep(anchor) } else { reused.insert(anchor.name) }
          if anchor.reasons.contains(.edgesOnly), !tried {
            progress?.clear()
            let file = entries[anchors.count + failures].file
            Output.diagnostic("waymark: \(file): \(AnchorQuality.Reason.edgesOnly.text)")
          }
          anchors.append(anchor)
        case .failure(let error):
          progress?.clear()
          let entry = entries[anchors.count + failures]
          failures += 1
          if let explained = error as? any CommandError {
            Output.diagnostic("waymark: \(entry.file): \(explained.message)\n  \(explained.hint)")
            status = max(status, explained.exitStatus)
          } else {
            Output.diagnostic("waymark: \(entry.file): \(error)")
            status = max(status, .badData)
          }
        }
        progress?.advance()
        return true
      })
    progress?.clear()
    return (anchors, reused, status)
  }
}
