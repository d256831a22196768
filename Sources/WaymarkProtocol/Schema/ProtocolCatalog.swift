/// Every request and every event of the protocol, by its type.
package enum ProtocolCatalog {
  /// The version of the protocol, as `hello` tells it.
  package static let version = 1

  /// Every method, in the order of the reference page.
  package static let requests: [any ServiceRequest.Type] = [
    PingRequest.self, StatusRequest.self, SubscribeRequest.self, UnsubscribeRequest.self,
    RoleLowerRequest.self, ConfigReloadRequest.self,
    ProfileListRequest.self, ProfileUseRequest.self,
    ScanBeginRequest.self, ScanCancelRequest.self, ScanConfirmRequest.self, GalleryListRequest.self,
    GalleryScanRequest.self, ScanPictureRequest.self, CodesFollowRequest.self, CodesUnfollowRequest.self,
    CountBeginRequest.self, CountResetRequest.self, CountEndRequest.self,
    TorchRequest.self, CameraListRequest.self, CameraSelectRequest.self, CameraControlRequest.self,
    MediaPreviewRequest.self, MediaSnapshotRequest.self, MediaResourceRequest.self, MediaGalleryRequest.self,
    MediaDocumentRequest.self, DocumentBeginRequest.self, DocumentModeRequest.self, DocumentCaptureRequest.self,
    DocumentPagesRequest.self, DocumentAdjustRequest.self, DocumentFilterRequest.self, DocumentRotateRequest.self,
    DocumentReorderRequest.self, DocumentDeleteRequest.self, DocumentRestoreRequest.self, DocumentRetakeRequest.self,
    DocumentSaveRequest.self, DocumentDiscardRequest.self, DocumentEndRequest.self, TextBeginRequest.self,
    TextChooseRequest.self, TextCancelRequest.self, SceneListRequest.self, SceneLoadRequest.self,
    SceneUnloadRequest.self, SessionStartRequest.self, SessionScanRequest.self, SessionCoachRequest.self,
    SessionExitRequest.self, AnnotationSelectRequest.self, AnnotationNextRequest.self,
    AnnotationPreviousRequest.self, AnnotationClearRequest.self, CardOpenRequest.self, CardCloseRequest.self,
    CardActionRequest.self, FormSubmitRequest.self, FormPendingRequest.self, FormAcknowledgeRequest.self,
    SignatureSaveRequest.self, SignatureListRequest.self, SignatureGetRequest.self, SignatureRemoveRequest.self,
    AccountStateRequest.self, AccountPolicyRequest.self, AccountNextRequest.self, AccountBackRequest.self,
    AccountLeaveRequest.self, AccountDemoRequest.self, AccountChooseRequest.self, AccountActivateRequest.self,
    AccountUsersRequest.self, AccountSwitchRequest.self, AccountSelectRequest.self, AccountAddRequest.self,
    AccountListRequest.self, AccountRemoveRequest.self, AccountUnlockRequest.self, AuthenticationSubmitRequest.self,
    AuthenticationSetPasscodeRequest.self, AuthenticationSignInRequest.self, AuthenticationForgotRequest.self,
    AuthenticationProvideRequest.self, AuthenticationAnswerRequest.self, ConsentChooseRequest.self,
    ConsentExportRequest.self, SyncRetryRequest.self, SyncProgressRequest.self,
  ]

  /// Every event that a subscription can bring.
  static let subscribable: [any EventPayload.Type] = [
    ScanSuccessful.self, ScanInvalid.self, ScanUnsuccessful.self, ScanGuide.self, ScanConfirmed.self,
    ScanCancelled.self, ScanEnded.self, ScannerStatus.self, CameraStatus.self,
    CameraIntrinsicsFound.self, ProfileStatus.self, SessionPhaseEvent.self,
    AnchorFound.self, AnchorLost.self, AnchorsUpdated.self, CodeFound.self, CodeLost.self, CodesUpdated.self,
    CountState.self, CountEnded.self,
    MarkerChanged.self, AnnotationSelected.self, AnnotationCleared.self, CardOpened.self, CardClosed.self,
    CardAction.self, SceneLoaded.self, SceneUnloaded.self, SceneProgress.self, SceneFailed.self, FormSubmitted.self,
    SignatureSaved.self, DocumentOutline.self, DocumentCaptured.self, DocumentChanged.self, DocumentFailed.self,
    DocumentSaved.self, DocumentEnded.self, TextBegan.self, TextCandidates.self, TextAccepted.self, TextFailed.self,
    TextEnded.self, AccountState.self, AccountRemoved.self, ConsentRecorded.self, Statistics.self,
    ServerStopping.self,
  ]

  /// Events that concern one connection alone: they come without a subscription.
  static let personal: [any EventPayload.Type] = [
    Hello.self, StreamDropped.self, ConnectionClosed.self, AuthenticationRequested.self, AuthenticationWithdrawn.self,
  ]

  /// Makes sure that requests can be held to their bounds; a service that cannot does not start.
  package static func verify() throws(ServiceError) { _ = try ParameterBounds.ofThisVersion.get() }

  /// Every event.
  package static var events: [any EventPayload.Type] { personal + subscribable }
}
