package import FoundationEssentials
package import WaymarkBarcodes
package import WaymarkImage
package import WaymarkOnboarding

/// The inputs and effects of an armed scan: the types of `LiveScan`.
package enum LiveScanValues<Owner: Hashable & Sendable, Context: Sendable> {
  /// The purpose of a scan.
  package enum Mode: String, Hashable, Sendable {
    /// A verdict by the policy; an accepted code waits for its confirmation.
    case onboarding
    /// Every new code.
    case barcode
  }

  /// A request for a scan.
  package struct Request: Sendable {
    package var owner: Owner?
    package var mode: Mode
    /// The symbologies to read; nil for those configured.
    package var symbologies: Set<Symbology>?
    package var region: ScanRegion
    /// Seconds without a read after which it ends.
    package var timeout: Double?
    /// Ends with the first code (barcode mode).
    package var once: Bool
    package var context: Context?

    /// A request from its parts.
    package init(
      owner: Owner?, mode: Mode, symbologies: Set<Symbology>? = nil, region: ScanRegion = .whole,
      timeout: Double? = nil, once: Bool = false, context: Context? = nil
    ) {
      self.owner = owner
      self.mode = mode
      self.symbologies = symbologies
      self.region = region
      self.timeout = timeout
      self.once = once
      self.context = context
    }
  }

  /// An armed scan, as events name it.
  package struct Scan: Sendable {
    /// Its id: counts up, never the same in one run.
    package let id: String
    /// The request.
    package let request: Request
    /// When it was armed.
    package let begun: Double
  }

  /// A code that was accepted, or any new code in barcode mode.
  package struct Success: Sendable {
    package let symbol: Symbol
    /// The verdict; nil in barcode mode.
    package let verdict: Verdict?

    /// A success from its parts.
    package init(symbol: Symbol, verdict: Verdict?) {
      self.symbol = symbol
      self.verdict = verdict
    }
  }

  /// The symbologies to read, and the effort.
  package struct Settings: Sendable {
    package var onboardingSymbologies: Set<Symbology> = [.qr]
    package var barcodeSymbologies: Set<Symbology> = Symbology.common
    /// Seconds out of view after which a code counts as new again.
    package var newAfter = 2.0
    /// Seconds that an accepted code waits for its confirmation; then the scan ends.
    package var confirmWithin = 120.0
    /// The mode that the service arms by itself whenever nobody else has.
    package var autoBegin: Mode?

    package init() {}
  }

  /// An input of the machine.
  package enum Input: Sendable {
    /// Somebody wants to scan.
    case begin(Request)
    /// A client goes on with the verdict that waits, which is judged again by the policy and the wall clock of this moment; `scan` nil
    /// means the armed one.
    case confirm(scan: String?, by: Owner?, judge: OnboardingJudge, date: Date)
    /// Somebody does not.
    case cancel(scan: String?, by: Owner?)
    /// The confirmation that `record` asked for is written: true, or was there before: false; nil when it failed.
    case recorded(Bool?)
    /// A client is gone.
    case left(Owner)
    /// The hardware key was pressed.
    case trigger(Mode)
    /// A frame was looked at.
    case frame(Observation)
    /// Time passes.
    case tick
    /// Other settings.
    case configure(Settings)
    /// The service stops.
    case stop
  }

  /// One frame and what was read in it.
  package struct Observation: Sendable {
    package var reading: ScanReading
    package var size: PictureSize
    /// When the frame was captured, on the clock of the inputs.
    package var captured: Double
    /// The wall clock, for tokens.
    package var date: Date
    package var judge: OnboardingJudge

    /// A look from its parts.
    package init(reading: ScanReading, size: PictureSize, captured: Double, date: Date, judge: OnboardingJudge) {
      self.reading = reading
      self.size = size
      self.captured = captured
      self.date = date
      self.judge = judge
    }
  }

  /// Why a request is refused.
  package enum Refusal: Hashable, Sendable {
    /// Another client holds the scan.
    case busy(holder: Owner?)
    /// No scan is armed, or not the one that was named.
    case noScan
    /// No verdict is waiting to be confirmed.
    case nothingToConfirm
    /// The code that was accepted is not accepted any more.
    case notAccepted(InvalidReason)
    /// The confirmation is being written.
    case confirming
  }

  /// How a scan ended; all but the first two without a confirmation, and without the code that it was for.
  package enum Ending: String, Hashable, Sendable {
    case confirmed, once, cancelled, replaced, disconnected, timedOut, stopping
  }

  /// An effect of the machine.
  package enum Effect: Sendable {
    /// A scan is armed.
    case began(Scan)
    /// The request cannot be followed.
    case refused(Refusal)
    /// A code is accepted, or new in barcode mode.
    case successful(Scan, Success)
    /// A code was read and refused.
    case invalid(Scan, InvalidReason, PictureVerdict)
    /// The scan's time was over without an acceptable read.
    case unsuccessful(Scan, ReadingFailure, missing: [Int], corners: Quadrilateral?)
    /// Advice for a person.
    case guide(Scan, GuideAdvisor.Guidance)
    /// Write down that a code was used, then hand in `recorded`.
    case record(ReplayEntry)
    /// The confirmation could not be written; the verdict still waits.
    case notRecorded(Scan)
    /// The person went on.
    case confirmed(Scan, Success, by: Owner?)
    /// The scan is over without that.
    case cancelled(Scan, Ending, by: Owner?)
    /// The scan is over, however: follows whatever tells how.
    case ended(Scan, Ending, by: Owner?)
    /// `phase`, `demand` or `deadline` is another one.
    case changed
  }

  /// The phase of the scan.
  package enum Phase: Sendable {
    /// No scan is armed.
    case idle
    /// Looking.
    case scanning(Scan)
    /// An accepted code waits for a person.
    case waiting(Scan, Success)
    /// The confirmation is being written; the scan's holder may have gone meanwhile.
    case confirming(Scan, Success, by: Owner?, isAbandoned: Bool)
  }
}
