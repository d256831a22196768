public import WaymarkJSON

/// One event as it came over the wire, by its payload.
public enum EventBody: Hashable, Sendable {
  /// `hello`.
  case hello(Hello)
  /// `scan.successful`.
  case scanSuccessful(ScanSuccessful)
  /// `scan.invalid`.
  case scanInvalid(ScanInvalid)
  /// `scan.unsuccessful`.
  case scanUnsuccessful(ScanUnsuccessful)
  /// `scan.guide`.
  case scanGuide(ScanGuide)
  /// `scan.confirmed`.
  case scanConfirmed(ScanConfirmed)
  /// `scan.cancelled`.
  case scanCancelled(ScanCancelled)
  /// `scan.ended`.
  case scanEnded(ScanEnded)
  /// `scanner.status`.
  case scannerStatus(ScannerStatus)
  /// `camera.status`.
  case cameraStatus(CameraStatus)
  /// `camera.intrinsics`.
  case cameraIntrinsicsFound(CameraIntrinsicsFound)
  /// `profile.changed`.
  case profileStatus(ProfileStatus)
  /// `session.phase`.
  case sessionPhaseEvent(SessionPhaseEvent)
  /// `anchor.found`.
  case anchorFound(AnchorFound)
  /// `anchor.lost`.
  case anchorLost(AnchorLost)
  /// `anchors.updated`.
  case anchorsUpdated(AnchorsUpdated)
  /// `code.found`.
  case codeFound(CodeFound)
  /// `code.lost`.
  case codeLost(CodeLost)
  /// `codes.updated`.
  case codesUpdated(CodesUpdated)
  /// `count.changed`.
  case countState(CountState)
  /// `count.ended`.
  case countEnded(CountEnded)
  /// `marker.changed`.
  case markerChanged(MarkerChanged)
  /// `annotation.selected`.
  case annotationSelected(AnnotationSelected)
  /// `annotation.cleared`.
  case annotationCleared(AnnotationCleared)
  /// `card.opened`.
  case cardOpened(CardOpened)
  /// `card.closed`.
  case cardClosed(CardClosed)
  /// `card.action`.
  case cardAction(CardAction)
  /// `scene.loaded`.
  case sceneLoaded(SceneLoaded)
  /// `scene.unloaded`.
  case sceneUnloaded(SceneUnloaded)
  /// `scene.progress`.
  case sceneProgress(SceneProgress)
  /// `scene.failed`.
  case sceneFailed(SceneFailed)
  /// `form.submitted`.
  case formSubmitted(FormSubmitted)
  /// `signature.saved`.
  case signatureSaved(SignatureSaved)
  /// `document.outline`.
  case documentOutline(DocumentOutline)
  /// `document.captured`.
  case documentCaptured(DocumentCaptured)
  /// `document.changed`.
  case documentChanged(DocumentChanged)
  /// `document.failed`.
  case documentFailed(DocumentFailed)
  /// `document.saved`.
  case documentSaved(DocumentSaved)
  /// `document.ended`.
  case documentEnded(DocumentEnded)
  /// `text.began`.
  case textBegan(TextBegan)
  /// `text.candidates`.
  case textCandidates(TextCandidates)
  /// `text.accepted`.
  case textAccepted(TextAccepted)
  /// `text.failed`.
  case textFailed(TextFailed)
  /// `text.ended`.
  case textEnded(TextEnded)
  /// `account.state`.
  case accountState(AccountState)
  /// `account.removed`.
  case accountRemoved(AccountRemoved)
  /// `consent.recorded`.
  case consentRecorded(ConsentRecorded)
  /// `authentication.requested`.
  case authenticationRequested(AuthenticationRequested)
  /// `authentication.withdrawn`.
  case authenticationWithdrawn(AuthenticationWithdrawn)
  /// `statistics`.
  case statistics(Statistics)
  /// `stream.dropped`.
  case streamDropped(StreamDropped)
  /// `connection.closed`.
  case connectionClosed(ConnectionClosed)
  /// `server.stopping`.
  case serverStopping(ServerStopping)
  /// An event of a newer service, as it stands.
  case unknown(String, JSONValue)
}

extension EventBody {
  /// Reads the payload of the event `name` from its line.
  init(name: String, line: JSONValue) throws {
    switch name {
    case Hello.event: self = .hello(try JSONValueDecoder.decode(Hello.self, from: line))
    case ScanSuccessful.event: self = .scanSuccessful(try JSONValueDecoder.decode(ScanSuccessful.self, from: line))
    case ScanInvalid.event: self = .scanInvalid(try JSONValueDecoder.decode(ScanInvalid.self, from: line))
    case ScanUnsuccessful.event:
      self = .scanUnsuccessful(try JSONValueDecoder.decode(ScanUnsuccessful.self, from: line))
    case ScanGuide.event: self = .scanGuide(try JSONValueDecoder.decode(ScanGuide.self, from: line))
    case ScanConfirmed.event: self = .scanConfirmed(try JSONValueDecoder.decode(ScanConfirmed.self, from: line))
    case ScanCancelled.event: self = .scanCancelled(try JSONValueDecoder.decode(ScanCancelled.self, from: line))
    case ScanEnded.event: self = .scanEnded(try JSONValueDecoder.decode(ScanEnded.self, from: line))
    case ScannerStatus.event: self = .scannerStatus(try JSONValueDecoder.decode(ScannerStatus.self, from: line))
    case CameraStatus.event: self = .cameraStatus(try JSONValueDecoder.decode(CameraStatus.self, from: line))
    case CameraIntrinsicsFound.event:
      self = .cameraIntrinsicsFound(try JSONValueDecoder.decode(CameraIntrinsicsFound.self, from: line))
    case ProfileStatus.event: self = .profileStatus(try JSONValueDecoder.decode(ProfileStatus.self, from: line))
    case SessionPhaseEvent.event:
      self = .sessionPhaseEvent(try JSONValueDecoder.decode(SessionPhaseEvent.self, from: line))
    case AnchorFound.event: self = .anchorFound(try JSONValueDecoder.decode(AnchorFound.self, from: line))
    case AnchorLost.event: self = .anchorLost(try JSONValueDecoder.decode(AnchorLost.self, from: line))
    case AnchorsUpdated.event: self = .anchorsUpdated(try JSONValueDecoder.decode(AnchorsUpdated.self, from: line))
    case CodeFound.event: self = .codeFound(try JSONValueDecoder.decode(CodeFound.self, from: line))
    case CodeLost.event: self = .codeLost(try JSONValueDecoder.decode(CodeLost.self, from: line))
    case CodesUpdated.event: self = .codesUpdated(try JSONValueDecoder.decode(CodesUpdated.self, from: line))
    case CountState.event: self = .countState(try JSONValueDecoder.decode(CountState.self, from: line))
    case CountEnded.event: self = .countEnded(try JSONValueDecoder.decode(CountEnded.self, from: line))
    case MarkerChanged.event: self = .markerChanged(try JSONValueDecoder.decode(MarkerChanged.self, from: line))
    case AnnotationSelected.event:
      self = .annotationSelected(try JSONValueDecoder.decode(AnnotationSelected.self, from: line))
    case AnnotationCleared.event:
      self = .annotationCleared(try JSONValueDecoder.decode(AnnotationCleared.self, from: line))
    case CardOpened.event: self = .cardOpened(try JSONValueDecoder.decode(CardOpened.self, from: line))
    case CardClosed.event: self = .cardClosed(try JSONValueDecoder.decode(CardClosed.self, from: line))
    case CardAction.event: self = .cardAction(try JSONValueDecoder.decode(CardAction.self, from: line))
    case SceneLoaded.event: self = .sceneLoaded(try JSONValueDecoder.decode(SceneLoaded.self, from: line))
    case SceneUnloaded.event: self = .sceneUnloaded(try JSONValueDecoder.decode(SceneUnloaded.self, from: line))
    case SceneProgress.event: self = .sceneProgress(try JSONValueDecoder.decode(SceneProgress.self, from: line))
    case SceneFailed.event: self = .sceneFailed(try JSONValueDecoder.decode(SceneFailed.self, from: line))
    case FormSubmitted.event: self = .formSubmitted(try JSONValueDecoder.decode(FormSubmitted.self, from: line))
    case SignatureSaved.event: self = .signatureSaved(try JSONValueDecoder.decode(SignatureSaved.self, from: line))
    case DocumentOutline.event: self = .documentOutline(try JSONValueDecoder.decode(DocumentOutline.self, from: line))
    case DocumentCaptured.event:
      self = .documentCaptured(try JSONValueDecoder.decode(DocumentCaptured.self, from: line))
    case DocumentChanged.event: self = .documentChanged(try JSONValueDecoder.decode(DocumentChanged.self, from: line))
    case DocumentFailed.event: self = .documentFailed(try JSONValueDecoder.decode(DocumentFailed.self, from: line))
    case DocumentSaved.event: self = .documentSaved(try JSONValueDecoder.decode(DocumentSaved.self, from: line))
    case DocumentEnded.event: self = .documentEnded(try JSONValueDecoder.decode(DocumentEnded.self, from: line))
    case TextBegan.event: self = .textBegan(try JSONValueDecoder.decode(TextBegan.self, from: line))
    case TextCandidates.event: self = .textCandidates(try JSONValueDecoder.decode(TextCandidates.self, from: line))
    case TextAccepted.event: self = .textAccepted(try JSONValueDecoder.decode(TextAccepted.self, from: line))
    case TextFailed.event: self = .textFailed(try JSONValueDecoder.decode(TextFailed.self, from: line))
    case TextEnded.event: self = .textEnded(try JSONValueDecoder.decode(TextEnded.self, from: line))
    case AccountState.event: self = .accountState(try JSONValueDecoder.decode(AccountState.self, from: line))
    case AccountRemoved.event: self = .accountRemoved(try JSONValueDecoder.decode(AccountRemoved.self, from: line))
    case ConsentRecorded.event: self = .consentRecorded(try JSONValueDecoder.decode(ConsentRecorded.self, from: line))
    case AuthenticationRequested.event:
      self = .authenticationRequested(try JSONValueDecoder.decode(AuthenticationRequested.self, from: line))
    case AuthenticationWithdrawn.event:
      self = .authenticationWithdrawn(try JSONValueDecoder.decode(AuthenticationWithdrawn.self, from: line))
    case Statistics.event: self = .statistics(try JSONValueDecoder.decode(Statistics.self, from: line))
    case StreamDropped.event: self = .streamDropped(try JSONValueDecoder.decode(StreamDropped.self, from: line))
    case ConnectionClosed.event:
      self = .connectionClosed(try JSONValueDecoder.decode(ConnectionClosed.self, from: line))
    case ServerStopping.event: self = .serverStopping(try JSONValueDecoder.decode(ServerStopping.self, from: line))
    default: self = .unknown(name, line)
    }
  }

  /// The name on the wire.
  public var name: String {
    switch self {
    case .hello: Hello.event
    case .scanSuccessful: ScanSuccessful.event
    case .scanInvalid: ScanInvalid.event
    case .scanUnsuccessful: ScanUnsuccessful.event
    case .scanGuide: ScanGuide.event
    case .scanConfirmed: ScanConfirmed.event
    case .scanCancelled: ScanCancelled.event
    case .scanEnded: ScanEnded.event
    case .scannerStatus: ScannerStatus.event
    case .cameraStatus: CameraStatus.event
    case .cameraIntrinsicsFound: CameraIntrinsicsFound.event
    case .profileStatus: ProfileStatus.event
    case .sessionPhaseEvent: SessionPhaseEvent.event
    case .anchorFound: AnchorFound.event
    case .anchorLost: AnchorLost.event
    case .anchorsUpdated: AnchorsUpdated.event
    case .codeFound: CodeFound.event
    case .codeLost: CodeLost.event
    case .codesUpdated: CodesUpdated.event
    case .countState: CountState.event
    case .countEnded: CountEnded.event
    case .markerChanged: MarkerChanged.event
    case .annotationSelected: AnnotationSelected.event
    case .annotationCleared: AnnotationCleared.event
    case .cardOpened: CardOpened.event
    case .cardClosed: CardClosed.event
    case .cardAction: CardAction.event
    case .sceneLoaded: SceneLoaded.event
    case .sceneUnloaded: SceneUnloaded.event
    case .sceneProgress: SceneProgress.event
    case .sceneFailed: SceneFailed.event
    case .formSubmitted: FormSubmitted.event
    case .signatureSaved: SignatureSaved.event
    case .documentOutline: DocumentOutline.event
    case .documentCaptured: DocumentCaptured.event
    case .documentChanged: DocumentChanged.event
    case .documentFailed: DocumentFailed.event
    case .documentSaved: DocumentSaved.event
    case .documentEnded: DocumentEnded.event
    case .textBegan: TextBegan.event
    case .textCandidates: TextCandidates.event
    case .textAccepted: TextAccepted.event
    case .textFailed: TextFailed.event
    case .textEnded: TextEnded.event
    case .accountState: AccountState.event
    case .accountRemoved: AccountRemoved.event
    case .consentRecorded: ConsentRecorded.event
    case .authenticationRequested: AuthenticationRequested.event
    case .authenticationWithdrawn: AuthenticationWithdrawn.event
    case .statistics: Statistics.event
    case .streamDropped: StreamDropped.event
    case .connectionClosed: ConnectionClosed.event
    case .serverStopping: ServerStopping.event
    case .unknown(let name, _): name
    }
  }
}

extension EventBody {
  /// The names of all events that a subscription can bring.
  static let subscribable: [String] = ProtocolCatalog.subscribable.map { $0.event }
}
