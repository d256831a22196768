import WaymarkProtocol
import WaymarkSystem

/// One example of every message, with every field filled: what the golden files hold.
enum Samples {
  static let frame = FrameReference(sequence: 4711, captured: 12345.678901, width: 640, height: 480)
  static let corners: [[Double]] = [[100, 80.5], [220.25, 82], [218, 200], [98.5, 199]]
  static let pose = PoseValue(
    position: [0.01, -0.02, -0.35], orientation: [0, 0, 0, 1],
    matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0.01, -0.02, -0.35, 1])
  static let actor = Actor(client: 3, user: 1000)
  static let card = Card(
    title: "Shaft seal", description: "Last changed in March", image: "a1-card", actionText: "Open work order",
    actionType: .link, actionData: "https://example.com/wo/17", language: "en")
  static let business: JSONValue = ["id": "10004711", "type": "equipment"]
  static let context: JSONValue = ["step": 2, "who": "kiosk"]
  static let intrinsics = Intrinsics(
    fx: 554.25, fy: 554.25, cx: 319.5, cy: 239.5, distortion: [0.1, -0.05, 0, 0, 0], source: .calibrated)
  static let marker = MarkerTracking(id: "seal", visible: true, selected: false, screen: [160.5, 140], depth: 0.351)
  static let anchor = AnchorTracking(
    anchor: "pump-7", trackingMethod: .fullTracking, corners: corners,
    homography: [0.25, 0, 100, 0, 0.25, 80, 0.00001, 0, 1], uncertainty: [0.02, 0.03, 0.02, 0.025], pose: pose,
    rawPose: pose, score: 0.93,
    markers: [marker, MarkerTracking(id: "valve", visible: false, selected: true)])
  static let can = AnchorTracking(
    anchor: "can", trackingMethod: .fullTracking, corners: corners,
    outline: [[100, 80.5], [160, 85], [220.25, 82], [218, 200], [158, 206], [98.5, 199]],
    homography: [0.25, 0, 100, 0, 0.25, 80, 0.00001, 0, 1], pose: pose, rawPose: pose, score: 0.9,
    ambiguous: ["can-light"])
  /// One of several copies.
  static let box = AnchorTracking(
    anchor: "box", copy: 12, trackingMethod: .fullTracking, corners: corners,
    homography: [0.25, 0, 100, 0, 0.25, 80, 0.00001, 0, 1], pose: pose, rawPose: pose, score: 0.9, markers: [marker])
  static let shelf = SceneDescription(
    scene: "shelf",
    anchors: [
      AnchorDescription(
        anchor: "box", resource: "a4", width: 480, height: 300, quality: 87, copies: 20, annotate: .each,
        annotations: [])
    ])
  static let successful = ScanSuccessful(
    scan: "s1", context: context, kind: "sapOnboarding", symbology: "qr", text: "{\"host\":\"mobile.example.com\"}",
    bytesBase64: "eyJob3N0IjoibW9iaWxlLmV4YW1wbGUuY29tIn0=", charset: "utf8", corners: corners,
    connectTo: "mobile.example.com", fields: ["host": "mobile.example.com"])
  static let scanner = ScannerStatus(status: .scanning, scan: "s1", mode: .onboarding, by: actor)
  static let camera = CameraStatus(
    status: .streaming, device: "usb-046d_C920_1A2B3C", format: "MJPG", width: 640, height: 480, rate: 30)
  static let scene = SceneDescription(
    scene: "pump-room", title: "Pump room",
    anchors: [
      AnchorDescription(
        anchor: "pump-7", resource: "a1", width: 480, height: 320, physicalWidth: 0.21,
        annotations: [
          AnnotationDescription(
            id: "seal", position: [0.05, 0, 0.02], icon: "wrench", card: card, businessObject: business)
        ]),
      AnchorDescription(
        anchor: "bin", code: AnchorCodeDescription(pattern: #"BIN-\d{4}"#, symbologies: ["qr"]), physicalWidth: 0.05,
        annotations: []),
      AnchorDescription(
        anchor: "lot", resource: "a2", code: AnchorCodeDescription(identifier: "01", value: "04006381333931"),
        annotations: []),
      AnchorDescription(
        anchor: "can", resource: "a3", width: 480, height: 260, physicalWidth: 0.2, radius: 0.033, annotations: []),
    ])
  static let statistics = Statistics(
    uptime: 12.5,
    frames: FrameStatistics(
      captured: 375, bad: 1, lost: 0, stages: [StageStatistics(name: "luma", frames: 375, p50: 0.0016, p99: 0.0021)]),
    lanes: [
      LaneStatistics(
        name: "barcode", frames: 370, skipped: 5, p50: 0.0061, p99: 0.0113,
        stages: [StageStatistics(name: "wait", frames: 370, p50: 0.0018, p99: 0.0024)])
    ], clients: 2, events: 17,
    dropped: 0, memory: 31_457_280, cpu: 1.25,
    workers: WorkerStatistics(starts: 3, crashes: 1, hangs: 0, lost: 1, failures: ["workerCrashed": 1]))
  static let phase = SessionPhaseEvent(
    phase: .coaching, primaryAction: .beginScan, guide: SessionGuide(anchor: "pump-7", resource: "a1"),
    scene: "pump-room", by: actor)
  static let found = AnchorFound(
    anchor: "bin", corners: corners, pose: nil, score: 0.93, code: AnchorCodeContent(symbology: "qr", text: "BIN-0042"))
  static let armed = ArmedScan(scan: "s1", mode: .onboarding, context: context, by: actor, pending: successful)
  static let snapshot = Snapshot(
    seq: 99, instance: "1abc", events: ["scan.*"], scanner: scanner, camera: camera, scan: armed, session: phase,
    scene: scene, anchors: [found], markers: [MarkerChanged(id: "seal", visible: true, selected: true, pulsing: true)],
    annotation: AnnotationSelected(id: "seal", card: card, by: actor),
    card: CardOpened(id: "seal", card: card, by: actor), profile: profileStatus)

  static let field = FormField(name: "material", label: "Material number", value: "4012345")
  static let submitted = FormSubmitted(
    id: "0mab3k7xz-1abc", form: "goods-received", submitted: "2026-01-02T03:04:05.678Z", fields: [field], key: "k1",
    context: context, by: actor)
  static let page = DocumentPage(
    id: "p2", revision: 3, width: 1920, height: 1080, corners: corners, format: .a4, filter: .blackAndWhite,
    rotation: 90, captured: "2026-01-02T03:04:05Z")
  static let document = DocumentSession(
    session: "d1abc", mode: .automatic, filter: .colour, count: 1, pages: [page], removed: ["p1"], retake: "p2",
    by: actor)
  static let text = TextSession(
    session: "t1abc", patterns: ["gtin", "serial"], region: [0.1, 0.4, 0.8, 0.2], languages: ["eng"], by: actor)
  static let accepted = TextAccepted(
    session: "t1abc", text: "AB0123", pattern: "serial", corners: corners, confidence: 0.93, automatic: false)
  static let counted = CountState(
    count: "n1abc", total: 4, views: 120, stretches: 1,
    codes: [
      CountedArticle(symbology: "ean13", text: "4006381333931", name: "4006381333931", amount: 3),
      CountedArticle(symbology: "qr", amount: 1),
    ], full: true)
  static let saved = DocumentSaved(
    session: "d1abc", format: .pdf, pages: 1, paths: ["/var/lib/waymark/documents/saved/note.pdf"], by: actor)

  static let profileStatus = ProfileStatus(
    profile: "goods-in", reason: .request, until: "2026-01-02T03:04:05Z", cues: ["read"],
    by: Actor(client: 3, user: 1000))
  static let signed = SignatureSaved(
    id: "0mab3k7xz-1abc", saved: "2026-01-02T03:04:05.678Z", hash: "5d41402a", purpose: "Goods received",
    signer: "Ada Meyer", key: "k2", by: actor)

  static let events: [any EventPayload] = [
    Hello(version: "0.1.0", instance: "1abc", role: .operator, client: 3, features: ["gallery", "media"]),
    successful,
    ScanInvalid(
      scan: "s1", context: context, reason: .hostNotAllowed, kind: "sapOnboarding", field: "host",
      explanation: "host: a.example is not on the list; allowed: *.example.com", corners: corners, by: actor),
    ScanUnsuccessful(
      scan: "s1", context: context, reason: .incomplete, missing: [2, 3], corners: corners, source: .picture,
      picture: "p9"),
    ScanGuide(scan: "s1", context: context, advice: .tooSmall, corners: corners),
    ScanConfirmed(scan: "s1", context: context, by: actor),
    ScanCancelled(scan: "s1", context: context, reason: .replaced, by: actor),
    OnboardingEnded(
      scan: "s1", context: context, outcome: .failed, reason: .unreachable, text: "No answer.", by: actor),
    ScannerStatus(
      status: .error, code: "cameraNotPermitted", message: "/dev/video0 may not be opened.",
      hint: "Join the group video."),
    camera,
    CameraIntrinsicsFound(
      device: "usb:1d6b:0102:SN4711", width: 640, height: 480,
      intrinsics: Intrinsics(
        fx: 601.5, fy: 601.5, cx: 319.5, cy: 239.5, distortion: [0, 0, 0, 0, 0], source: .estimated),
      deviation: 0.0125, views: 24),
    phase, found, AnchorLost(anchor: "pump-7", lastSeen: 12345.6),
    AnchorsUpdated(anchors: [anchor, can], intrinsics: intrinsics),
    CodeFound(
      code: 7, symbology: "qr", text: "PUMP-7", bytesBase64: "UFVNUC03", charset: "utf8", corners: corners, pose: nil),
    CodeLost(code: 7, lastSeen: 12345.6),
    counted, CountEnded(count: "n1abc", reason: .disconnected),
    CodesUpdated(
      codes: [CodeTracking(code: 7, trackingMethod: .fullTracking, corners: corners, score: 0.97)],
      intrinsics: intrinsics),
    MarkerChanged(id: "seal", visible: true, selected: true, pulsing: true),
    AnnotationSelected(id: "seal", card: card, by: actor), AnnotationCleared(id: "seal", by: actor),
    CardOpened(id: "seal", card: card, by: actor), CardClosed(id: "seal", by: actor),
    CardAction(
      id: "seal", actionType: .link, actionData: "https://example.com/wo/17", businessObject: business, by: actor),
    submitted, signed, profileStatus,
    SceneLoaded(scene: scene), SceneUnloaded(scene: "pump-room", by: actor),
    SceneProgress(scene: "pump-room", done: 1, total: 3),
    SceneFailed(
      scene: "pump-room", code: "sceneInvalid", message: "The scene cannot be used.", hint: "Correct it.",
      problems: ["scene.yaml:4: anchors.0.image: there is no such file"]),
    statistics, StreamDropped(count: 12, sinceSeq: 4000), ConnectionClosed(reason: .slowConsumer),
    ServerStopping(reason: "The service is stopping."),
    ScanEnded(scan: "s1", context: context, reason: .once),
    DocumentOutline(
      session: "d1abc", phase: .holding, corners: corners, score: 0.93, progress: 0.5,
      advice: DocumentAdvice(rawValue: "glare")),
    DocumentCaptured(session: "d1abc", page: page, count: 1, automatic: true, replaced: true),
    DocumentChanged(document: document),
    DocumentFailed(
      session: "d1abc", code: .noSpace, message: "The page cannot be written: No space left on device.",
      hint: "Make room on the disk, or name a file elsewhere."),
    saved, DocumentEnded(session: "d1abc", reason: .disconnected, count: 1, by: actor),
    TextBegan(text: text),
    TextCandidates(
      session: "t1abc",
      candidates: [
        TextCandidate(
          text: "AB0123", pattern: "serial", corners: corners, confidence: 0.93, doubtful: true, others: ["ABO123"])
      ], lines: 3),
    accepted,
    TextFailed(
      session: "t1abc", code: "textEngineFailed",
      message: "The program that reads text did not answer and was stopped.",
      hint: "It is restarted for the next line."),
    TextEnded(session: "t1abc", reason: .accepted, by: actor),
  ]

  /// The events about copies.
  static let copies: [any EventPayload] = [
    SceneLoaded(scene: shelf), AnchorFound(anchor: "box", copy: 12, corners: corners, score: 0.9),
    AnchorsUpdated(anchors: [box], intrinsics: intrinsics),
    MarkerChanged(id: "price", copy: 12, visible: true, selected: false, pulsing: false),
    AnchorLost(anchor: "box", copy: 12, lastSeen: 12345.6),
    AnnotationSelected(id: "price", copy: 12, card: card, by: actor), CardOpened(id: "price", copy: 12, card: card),
    CardAction(id: "price", copy: 12, actionType: .custom, actionData: "reorder", by: actor),
  ]

  static let requests: [any ServedRequest] = [
    PingRequest(), StatusRequest(),
    SubscribeRequest(events: ["scan.*", "anchors.*"], after: EventPosition(instance: "1abc", seq: 41)),
    ConfigReloadRequest(), ConfigShowRequest(), ConfigCheckRequest(text: "scan:\n  rate: 5\n"),
    LogReadRequest(lines: 20),
    ReportMakeRequest(),
    UnsubscribeRequest(events: ["anchors.*"]),
    RoleLowerRequest(role: .observer),
    ScanBeginRequest(
      mode: .barcode, symbologies: ["ean13", "code128"], region: [0.25, 0.25, 0.5, 0.5], timeout: 30, once: true,
      context: context),
    ScanCancelRequest(scan: "s1"), ScanConfirmRequest(scan: "s1"),
    OnboardingOutcomeRequest(scan: "s1", outcome: .failed, reason: .unreachable, text: "No answer."),
    GalleryListRequest(limit: 20, after: "p9"),
    GalleryScanRequest(id: "p9", mode: .onboarding, region: [0, 0.25, 0.5, 0.5], context: context),
    ScanPictureRequest(size: 48_213, mode: .onboarding, context: context), TorchRequest(on: true), CameraListRequest(),
    CameraSelectRequest(id: "usb-046d_C920_1A2B3C"), CameraControlRequest(name: "focus", value: 30),
    MediaPreviewRequest(width: 320, rate: 10), MediaSnapshotRequest(width: 320),
    MediaResourceRequest(id: "a1", width: 96),
    MediaGalleryRequest(id: "p9", width: 96), SceneListRequest(), SceneLoadRequest(name: "pump-room"),
    CodesFollowRequest(
      symbologies: ["qr", "dataMatrix"], sizes: [CodeSize(symbology: "qr", prefix: "PUMP-", width: 0.04)]),
    CodesUnfollowRequest(), CountBeginRequest(symbologies: ["ean13"], count: "n1abc"), CountResetRequest(),
    CountExpectedRequest(articles: [.init(text: "4006381333931", name: "Pens", amount: 4)], camera: "desk"),
    CountEndRequest(),
    SceneUnloadRequest(), SessionStartRequest(scene: "pump-room"), SessionScanRequest(),
    SessionCoachRequest(),
    SessionExitRequest(), AnnotationSelectRequest(point: [160, 140]), AnnotationNextRequest(),
    AnnotationPreviousRequest(), AnnotationClearRequest(), CardOpenRequest(id: "seal"), CardCloseRequest(),
    CardActionRequest(id: "seal"),
    FormSubmitRequest(form: "goods-received", fields: [field], key: "k1", context: context),
    FormPendingRequest(limit: 20, after: "0mab3k7xz-1abc"), FormAcknowledgeRequest(id: "0mab3k7xz-1abc"),
    SignatureSaveRequest(
      strokes: [[1200, 800, 0, -1, 14, -6, 8, 500]], width: 640, height: 240, purpose: "Goods received",
      signer: "Ada Meyer", subject: "sha256:9f86", key: "k2"),
    SignatureListRequest(limit: 20, after: "0mab3k7xz-1abc"),
    SignatureGetRequest(id: "0mab3k7xz-1abc", format: .png), SignatureRemoveRequest(id: "0mab3k7xz-1abc"),
    DocumentBeginRequest(mode: .manual, filter: .blackAndWhite), DocumentModeRequest(mode: .paused),
    DocumentCaptureRequest(), DocumentPagesRequest(), DocumentAdjustRequest(page: "p2", corners: corners, snap: true),
    DocumentFilterRequest(filter: .grayscale, page: "p2"), DocumentRotateRequest(page: "p2", degrees: 90),
    DocumentReorderRequest(page: "p2", index: 0), DocumentDeleteRequest(page: "p2"),
    DocumentRestoreRequest(page: "p2"), DocumentRetakeRequest(page: "p2"),
    DocumentSaveRequest(format: .pdf, name: "note"), DocumentDiscardRequest(), DocumentEndRequest(),
    MediaDocumentRequest(page: "p2", width: 320, original: true),
    TextBeginRequest(
      region: [0.1, 0.4, 0.8, 0.2],
      patterns: [
        TextPatternRequest(name: "gtin"),
        TextPatternRequest(
          name: "serial", expression: "[A-Z0-9]+", length: [6, 8], alphabet: "ABC0123", check: .luhn, kind: .number),
      ], languages: ["eng"], timeout: 30),
    ProfileListRequest(), ProfileUseRequest(profile: "goods-in", seconds: 600),
    TextChooseRequest(text: "ABO123", session: "t1abc"), TextCancelRequest(session: "t1abc"),
  ]

  static let results: [(method: String, result: any Codable & Sendable)] = [
    ("ping", PingResult(time: "2026-01-02T03:04:05.678Z", monotonic: 12345.678901)),
    (
      "status",
      StatusResult(
        version: "0.1.0", instance: "1abc", started: "2026-01-02T03:04:05.678Z", socket: "/run/waymark/waymark.sock",
        scanner: scanner, camera: camera, scan: armed, session: .annotating, scene: "pump-room", anchors: ["pump-7"],
        intrinsics: intrinsics, statistics: statistics)
    ),
    ("subscribe", snapshot), ("config.reload", ConfigReloadResult(restart: ["socket"])),
    (
      "config.show",
      ConfigShowResult(
        values: [ConfigurationEntry(key: "scan.rate", value: "5", origin: "/etc/waymark/waymark.yaml:2")],
        restart: ["socket"])
    ),
    (
      "config.check",
      ConfigCheckResult(problems: [
        ConfigurationFault(
          line: 2, message: "waymark.yaml:2: scan.rat: there is no such key", hint: "Do you mean rate?")
      ])
    ), ("log.read", LogReadResult(lines: ["2026-01-02T03:04:05.678Z notice waymark.service: listening"])),
    ("report.make", ReportMakeResult(text: "waymark report")),
    (
      "profile.list",
      ProfileListResult(
        profiles: [
          ProfileDescription(
            profile: "goods-in", days: ["mon", "fri"], times: ["08:00-17:30"], codes: true)
        ], active: profileStatus)
    ), ("profile.use", profileStatus),
    ("unsubscribe", UnsubscribeResult(events: ["scan.*"])),
    ("role.lower", RoleLowerResult(role: .observer)),
    ("scan.begin", ScanBeginResult(scan: "s1")), ("scan.cancel", Empty()),
    (
      "gallery.list",
      GalleryListResult(
        pictures: [GalleryPicture(id: "p9", name: "badge.jpg", size: 48_213, modified: "2026-01-02T03:04:05Z")],
        next: "p9")
    ),
    ("gallery.scan", GalleryScanResult(scan: "s2", outcome: .successful, successful: [successful])),
    (
      "scan.picture",
      GalleryScanResult(
        scan: "s3", outcome: .unsuccessful,
        unsuccessful: ScanUnsuccessful(scan: "s3", reason: .nothingFound, source: .picture))
    ),
    ("torch", TorchResult(on: true)),
    (
      "camera.list",
      CameraListResult(cameras: [
        CameraDescription(
          id: "usb-046d_C920_1A2B3C", name: "HD Pro Webcam C920", device: "/dev/video0", selected: true,
          formats: [CameraFormat(format: "MJPG", width: 640, height: 480, rates: [30, 15])],
          controls: [
            CameraControlDescription(name: "focus", value: 30, minimum: 0, maximum: 250, step: 5, defaultValue: 0)
          ], torch: false)
      ])
    ),
    ("camera.select", CameraSelectResult(id: "usb-046d_C920_1A2B3C")),
    ("camera.control", CameraControlResult(name: "focus", value: 30)),
    ("media", MediaHeader(id: 7, frame: frame, format: .jpeg, width: 640, height: 480, size: 48_213)),
    ("scene.list", SceneListResult(scenes: [SceneSummary(scene: "pump-room", title: "Pump room", loaded: true)])),
    ("scene.load", SceneLoadResult(scene: "pump-room")), ("session.start", SessionResult(phase: .coaching)),
    ("annotation.select", AnnotationResult(id: "seal", open: false)),
    (
      "card.action",
      CardActionResult(
        id: "seal", actionType: .link, actionData: "https://example.com/wo/17", businessObject: business)
    ),
    ("form.submit", FormSubmitResult(id: "0mab3k7xz-1abc", submitted: "2026-01-02T03:04:05.678Z")),
    ("form.pending", FormPendingResult(forms: [submitted], more: false)),
    ("form.acknowledge", FormAcknowledgeResult(pending: 0)),
    (
      "signature.save",
      SignatureSaveResult(id: "0mab3k7xz-1abc", saved: "2026-01-02T03:04:05.678Z", hash: signed.hash ?? "")
    ),
    ("signature.list", SignatureListResult(signatures: [signed], more: false)),
    ("signature.remove", SignatureRemoveResult(kept: 0)),
    (
      "error",
      ServiceError(
        .busy, "Another client holds the scanner.", hint: "Wait until it is done.", holder: actor)
    ),
    ("text.begin", text), ("text.choose", accepted),
    ("document.begin", document), ("document.adjust", page), ("document.save", saved),
  ]
}

/// Results that answer several methods: an example for each of these.
extension Samples {
  static let allResults = results + accountResults + sharedResults

  private static let sharedResults: [(method: String, result: any Codable & Sendable)] =
    [
      "scan.confirm", "onboarding.outcome", "count.expected", "codes.follow", "codes.unfollow", "count.end",
      "document.mode", "document.capture",
      "document.retake",
      "document.discard", "document.end", "text.cancel", "scene.unload", "account.remove", "account.unlock",
      "authentication.provide", "authentication.answer", "sync.progress",
    ].map { ($0, Empty()) }
    + ["count.begin", "count.reset"].map { ($0, counted) }
    + ["document.pages", "document.filter", "document.reorder", "document.delete", "document.restore"].map {
      ($0, document)
    }
    + [
      ("document.rotate", page), ("session.scan", SessionResult(phase: .scanning)),
      ("session.coach", SessionResult(phase: .coaching)), ("session.exit", SessionResult(phase: .inactive)),
      ("annotation.next", AnnotationResult(id: "valve", open: false)),
      ("annotation.previous", AnnotationResult(id: "seal", open: false)),
      ("annotation.clear", AnnotationResult(id: nil, open: false)),
      ("card.open", AnnotationResult(id: "seal", open: true)),
      ("card.close", AnnotationResult(id: "seal", open: false)),
    ]
    + [
      "account.state", "account.next", "account.back", "account.leave", "account.demo", "account.choose",
      "account.activate", "account.switch", "account.select", "account.add", "authentication.submit",
      "authentication.setPasscode", "authentication.signIn", "authentication.forgot", "consent.choose", "sync.retry",
    ].map { ($0, accountState) }
}
