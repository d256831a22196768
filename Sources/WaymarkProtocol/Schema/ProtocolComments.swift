// Written by Scripts/make-protocol-comments. Do not edit: change the comments of the types, and run the script.

// swift-format-ignore-file
extension ProtocolComments {
  /// A line for each type, member and word: its name, a tab, and its comment.
  static let text = #"""
    AccountActivateRequest	Hands in the link, the code or the e-mail address that activates.
    AccountActivateRequest.code	The code that was typed or scanned.
    AccountAddRequest	Begins the onboarding of one more user.
    AccountBackRequest	Goes back by one screen. Of a user who is signed in and synchronizes once more it stops that; they stay in.
    AccountChooseRequest	Chooses a way of activation.
    AccountChooseRequest.method	`scan`, `code`, `email` or `preset`.
    AccountDemoRequest	Tries the device out without an account.
    AccountLeaveRequest	Leaves what is unfinished, or signs out.
    AccountListRequest	Asks for all that is known of the users: for administration.
    AccountListResult	The users.
    AccountListResult.damaged	The ids of users whose files are damaged; missing where there are none. `account.remove` deletes what is left of them.
    AccountListResult.users	By name; those whose onboarding is not over last.
    AccountNextRequest	Continues with the next step.
    AccountNextRequest.agreed	True if the terms of the first screen were agreed to.
    AccountPerson	The visible data of a user.
    AccountPerson.id	The service's own name for them, which says nothing of who it is; missing for one who is not on this device.
    AccountPerson.initials	Letters in the place of a picture.
    AccountPerson.subtitle	The line below it.
    AccountPerson.title	The name.
    AccountPolicyRequest	Asks for the texts and rules of the screens.
    AccountPolicyResult	The texts and rules of the screens. A text is an object of texts by language.
    AccountPolicyResult.activation	The ways of activation.
    AccountPolicyResult.consents	A list of {`id`, `version`, `mandatory`, `pages` [{`title`, `text`, `more`}]}.
    AccountPolicyResult.demo	True if the device can be tried out.
    AccountPolicyResult.fields	The fields of the credentials: a list of {`name`, `label`, `kind`}.
    AccountPolicyResult.language	The language that counts where a text lacks the wanted one.
    AccountPolicyResult.links	Legal links: a list of {`title`, `url`}.
    AccountPolicyResult.logos	Ids of pictures for `media.resource`, the first above the others.
    AccountPolicyResult.mode	`single`, `shared`, or `off` where nothing is configured.
    AccountPolicyResult.modules	The steps of onboarding.
    AccountPolicyResult.passcode	The rules: `minimum`, `maximum`, `numeric`, `digit`, `lower`, `upper`, `symbol`, `tries`.
    AccountPolicyResult.shown	The parts of users that are shown before they have signed in.
    AccountPolicyResult.terms	The terms that must be agreed to.
    AccountPolicyResult.words	`title` and `text` by screen, where they are not the page's own.
    AccountRemoveRequest	Removes a user with all that is kept of them.
    AccountRemoveRequest.user	Their id.
    AccountRemoved	A user was removed, with all that was kept of them.
    AccountRemoved.by	The client that removed them.
    AccountRemoved.user	The service's name for them.
    AccountSelectRequest	Chooses who is to sign in.
    AccountSelectRequest.user	Their id.
    AccountState	Where the device and its users are.
    AccountState.Phase	The phase shown.
    AccountState.Phase.activation	A code, a link or an address is wanted.
    AccountState.Phase.consents	Consents are asked for, one after the other.
    AccountState.Phase.credentials	The person signs in with what the integrator's program verifies.
    AccountState.Phase.demo	The device shows itself without a user.
    AccountState.Phase.off	No users are configured.
    AccountState.Phase.passcode	A passcode is set and repeated.
    AccountState.Phase.ready	Onboarding is over.
    AccountState.Phase.signIn	The passcode of the last or the chosen user is wanted.
    AccountState.Phase.signedIn	A user is signed in.
    AccountState.Phase.sync	The integrator's program synchronizes.
    AccountState.Phase.users	A user is chosen, or one more is wanted.
    AccountState.Phase.welcome	The device's first screen, with terms where they are set.
    AccountState.Purpose	Why.
    AccountState.Purpose.add	One more.
    AccountState.Purpose.first	The first user of the device.
    AccountState.Purpose.recover	A forgotten passcode.
    AccountState.Purpose.renew	Consents that came since, or data of a user who is signed in already.
    AccountState.canRecover	True if a forgotten passcode can be reset.
    AccountState.choices	The last choice of the user who is signed in about each consent that the policy names.
    AccountState.consent	The consent that is asked for.
    AccountState.method	The way of activation that was chosen.
    AccountState.phase	The phase shown.
    AccountState.problem	The reason why the last step failed.
    AccountState.provider	True if the integrator's program is there.
    AccountState.purpose	Why, where a step belongs to more than one way.
    AccountState.repeats	True if the passcode is to be repeated.
    AccountState.sync	How synchronizing goes.
    AccountState.synced	When the data of the user who is signed in was last synchronized: RFC 3339, UTC.
    AccountState.user	The user whose turn it is. Before they have signed in it holds no more than the policy shows.
    AccountState.wait	Seconds until the next passcode may be tried.
    AccountState.working	The work under way: `provider`, `passcode`, `storing`.
    AccountStateRequest	Asks where the device and its users are.
    AccountSummary	All that is known of a user but their secrets.
    AccountSummary.consents	How many choices are kept.
    AccountSummary.created	When their onboarding began: RFC 3339, UTC.
    AccountSummary.failures	Wrong passcodes in a row.
    AccountSummary.host	Where their data is.
    AccountSummary.id	The service's name for them.
    AccountSummary.ready	True if it is over.
    AccountSummary.subject	Their name in the integrator's system.
    AccountSummary.subtitle	The line below it.
    AccountSummary.title	Their name.
    AccountSummary.wait	Seconds until the next may be tried.
    AccountSwitchRequest	Opens the list of users.
    AccountTrouble	The reason why a step failed.
    AccountTrouble.code	A stable camelCase word.
    AccountTrouble.text	The integrator's program's own words about it.
    AccountUnlockRequest	Lets a user, or all, try passcodes again at once.
    AccountUnlockRequest.user	Their id; everybody when missing.
    AccountUsersRequest	Asks who can sign in, as far as the policy shows them.
    AccountUsersResult	The users who can sign in.
    AccountUsersResult.selected	The user who is selected.
    AccountUsersResult.users	By name.
    ActionType	The action of a card's button; the client carries it out.
    ActionType.custom	An action that the client understands.
    ActionType.link	Opens an address.
    ActionType.phone	Calls a number.
    ActionType.video	Plays a video.
    Actor	The client that did something: the device has one session that many clients see.
    Actor.client	The number of the connection, unique in a run of the service.
    Actor.user	The user id of its process.
    AnchorCodeContent	The content of a code that is an anchor.
    AnchorCodeContent.redacted	True where something was left out for an observer.
    AnchorCodeContent.symbology	The symbology.
    AnchorCodeContent.text	Its content as text; missing when redacted.
    AnchorCodeDescription	Which code an anchor is; one of `text`, `prefix`, `pattern` and `identifier` says what it says.
    AnchorCodeDescription.identifier	The GS1 application identifier of an element string that it has.
    AnchorCodeDescription.pattern	A regular expression for the whole text.
    AnchorCodeDescription.prefix	It begins with this.
    AnchorCodeDescription.redacted	True where what it says was left out for an observer.
    AnchorCodeDescription.symbologies	The symbologies that it may have; missing: those that the service reads.
    AnchorCodeDescription.text	Exactly this.
    AnchorCodeDescription.value	The value of that element string; any value where it is missing.
    AnchorDescription	An anchor of a scene.
    AnchorDescription.anchor	Its name.
    AnchorDescription.annotate	Which of several copies its annotations hang on; missing where one is followed.
    AnchorDescription.annotations	The annotations on it.
    AnchorDescription.code	The code that it is; missing where it is the picture.
    AnchorDescription.copies	How many copies of it are followed at once; missing: one.
    AnchorDescription.height	Height of the reference in pixels, its long side scaled to 480.
    AnchorDescription.physicalWidth	Width of the real picture, or of the code without its quiet zone, in metres, where known.
    AnchorDescription.radius	The radius in metres of the upright cylinder that the picture is wrapped round; missing where it is flat.
    AnchorDescription.resource	The id of its picture, for `media.resource`. Of an anchor that is a code it shows where to look, and may be missing.
    AnchorDescription.width	Width of the reference in pixels, its long side scaled to 480.
    AnchorFound	An anchor has come into view.
    AnchorFound.ambiguous	Where it is not proven that it is this anchor: the other anchors of the scene that it may be as well; empty: a part of what is in sight contradicts its picture, because something covers it or it is a picture that looks alike. Missing once it is proven.
    AnchorFound.anchor	Its name.
    AnchorFound.code	The content of the code that was found; missing where the anchor is a picture.
    AnchorFound.copy	Which copy of it, where several are allowed: a number that this one keeps as long as it is followed and that no other has while the service runs.
    AnchorFound.corners	Its corners, in pixels.
    AnchorFound.pose	Where it is; null where no physical width is known.
    AnchorFound.score	How sure the engine is, 0 to 1.
    AnchorLost	An anchor has been out of view for a while.
    AnchorLost.anchor	Its name.
    AnchorLost.copy	Which copy of it, where several are allowed.
    AnchorLost.lastSeen	When it was last seen: seconds of `CLOCK_MONOTONIC`.
    AnchorTracking	An anchor in a frame.
    AnchorTracking.ambiguous	As in `anchor.found`; missing once it is proven that it is this anchor.
    AnchorTracking.anchor	Its name.
    AnchorTracking.copy	Which copy of it, where several are allowed, as in `anchor.found`.
    AnchorTracking.corners	Where the corners of the reference lie: from its top left clockwise, each x, y in pixels of the frame. Of a round anchor those of the part that is turned to the camera.
    AnchorTracking.homography	Nine numbers, row-major: reference pixels to frame pixels. Of a round anchor they hold around the middle of what is in sight.
    AnchorTracking.markers	The annotations on it. Where several copies are allowed, those of the nearest one or of each, as the scene says.
    AnchorTracking.outline	Of a round anchor: the outline of the part that is turned to the camera, clockwise from the top left, each x, y; missing of a flat one, whose outline the corners are.
    AnchorTracking.pose	Smoothed; null where no physical width is known.
    AnchorTracking.rawPose	Not smoothed; null where no physical width is known.
    AnchorTracking.score	How sure the engine is, 0 to 1.
    AnchorTracking.trackingMethod	How well it is known.
    AnchorsUpdated	Where everything is that is followed; one a frame.
    AnchorsUpdated.anchors	The anchors.
    AnchorsUpdated.intrinsics	The camera's intrinsics that the poses were computed with.
    AnnotatedCopies	The copies of an anchor that its annotations hang on, where several are followed.
    AnnotatedCopies.each	Every one.
    AnnotatedCopies.nearest	The one nearest to the camera.
    AnnotationClearRequest	Takes the focus away.
    AnnotationCleared	No annotation has the focus any more.
    AnnotationCleared.by	The client that cleared it.
    AnnotationCleared.id	The annotation that had it.
    AnnotationDescription	A marker and its card.
    AnnotationDescription.businessObject	The integrator's data attached to it, as it is in the scene.
    AnnotationDescription.card	Its card.
    AnnotationDescription.icon	The name of the marker's icon.
    AnnotationDescription.id	Its id, unique in the scene.
    AnnotationDescription.position	Metres in the anchor's frame: +x along its width, +y out of the picture, +z down its height.
    AnnotationNextRequest	Moves the focus on.
    AnnotationPreviousRequest	Moves the focus back.
    AnnotationResult	The annotation that has the focus.
    AnnotationResult.copy	The copy of its anchor at which it was selected; missing where one alone is followed, or none was meant.
    AnnotationResult.id	The annotation; null when none has it.
    AnnotationResult.open	True if its card is open.
    AnnotationSelectRequest	Moves the focus to an annotation, by its id or by a point of the frame.
    AnnotationSelectRequest.copy	The copy of its anchor that is meant, with `id`: one that is in sight.
    AnnotationSelectRequest.id	The annotation.
    AnnotationSelectRequest.point	x, y in pixels of the frame: the nearest visible marker within reach.
    AnnotationSelected	The focus moved to an annotation.
    AnnotationSelected.by	The client that selected it.
    AnnotationSelected.card	Its card.
    AnnotationSelected.copy	The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
    AnnotationSelected.id	The annotation.
    ArmedScan	A scan that is armed.
    ArmedScan.by	The client that holds it; nobody when the service armed itself.
    ArmedScan.context	The `context` of `scan.begin`.
    ArmedScan.mode	The purpose.
    ArmedScan.pending	The verdict that waits for its confirmation.
    ArmedScan.scan	Its id.
    AuthenticationAnswerRequest	Answers a request of the service.
    AuthenticationAnswerRequest.host	Where their data is.
    AuthenticationAnswerRequest.outcome	`accepted`, `refused`, `offline` or `conflict`.
    AuthenticationAnswerRequest.request	Its number.
    AuthenticationAnswerRequest.subject	The person's name in the integrator's system; with `conflict`, the person who has to act first.
    AuthenticationAnswerRequest.subtitle	The line below it.
    AuthenticationAnswerRequest.text	Words for the person, where it is not `accepted`.
    AuthenticationAnswerRequest.title	Their name.
    AuthenticationForgotRequest	Begins to set a forgotten passcode again.
    AuthenticationProvideRequest	Makes this connection the one that verifies, looks up and synchronizes.
    AuthenticationProvideRequest.name	Its name, for the log.
    AuthenticationRequested	A request to the provider: sent to its connection alone.
    AuthenticationRequested.code	The code, link or e-mail address of the activation.
    AuthenticationRequested.fields	The fields that the person filled in, by the names of the policy's fields.
    AuthenticationRequested.host	The host that the activation led to.
    AuthenticationRequested.kind	The kind of request: `activate`, `lookup`, `verify`, `recover`, `sync`.
    AuthenticationRequested.request	The number that `authentication.answer` takes.
    AuthenticationRequested.subject	Whom it is about.
    AuthenticationRequested.timeout	Seconds for an answer; for `sync`, from one word about its progress to the next.
    AuthenticationSetPasscodeRequest	Hands in a new passcode: once, and once more.
    AuthenticationSetPasscodeRequest.passcode	The passcode.
    AuthenticationSignInRequest	Hands in the passcode of whose turn it is.
    AuthenticationSignInRequest.passcode	The passcode.
    AuthenticationSubmitRequest	Hands in the credentials that were asked for.
    AuthenticationSubmitRequest.fields	An object: what was filled in, by the names of the policy's fields.
    AuthenticationWithdrawn	A request needs no reply any more: sent to the integrator's program alone.
    AuthenticationWithdrawn.request	Which.
    CameraControlDescription	A control of a camera.
    CameraControlDescription.defaultValue	The value that the driver starts with.
    CameraControlDescription.maximum	The greatest value.
    CameraControlDescription.minimum	The least value.
    CameraControlDescription.name	Its name for `camera.control`.
    CameraControlDescription.step	The step between values.
    CameraControlDescription.value	The present value.
    CameraControlRequest	Sets a control of the camera.
    CameraControlRequest.camera	The camera, by its name; the first one when missing.
    CameraControlRequest.name	The control.
    CameraControlRequest.value	The value.
    CameraControlResult	The value of the control after the change.
    CameraControlResult.name	The control.
    CameraControlResult.value	The value that the driver made of it.
    CameraDescription	A camera that is plugged in.
    CameraDescription.camera	The name of the configured camera that it is, where there are several.
    CameraDescription.controls	The controls that can be set.
    CameraDescription.device	Its device node now.
    CameraDescription.formats	The formats that it can send.
    CameraDescription.id	Its stable identity, for `camera.select`.
    CameraDescription.name	The device's own name.
    CameraDescription.selected	True if the service uses it.
    CameraDescription.torch	True if it has a light that can be switched.
    CameraFormat	A pixel format and size of a camera.
    CameraFormat.format	Its four-character code.
    CameraFormat.height	Height in pixels.
    CameraFormat.rates	Frames a second that it offers.
    CameraFormat.width	Width in pixels.
    CameraIntrinsicsFound	The focal length of a camera without a calibration was found from what was followed in it, or more exactly than before. Poses are computed with it from when nothing is followed.
    CameraIntrinsicsFound.deviation	The standard deviation of the focal length, as a share of it.
    CameraIntrinsicsFound.device	Which camera, as `camera.status` tells it.
    CameraIntrinsicsFound.height	Height of the frames in pixels.
    CameraIntrinsicsFound.intrinsics	The camera's geometry.
    CameraIntrinsicsFound.views	How many views it comes from.
    CameraIntrinsicsFound.width	Width of the frames in pixels.
    CameraListRequest	Asks for the cameras.
    CameraListResult	The cameras.
    CameraListResult.cameras	The cameras that are plugged in.
    CameraOverview	One of several cameras, and the work in it.
    CameraOverview.camera	Its state.
    CameraOverview.codes	Codes that are followed in it; missing where nobody has codes followed, and in `status`.
    CameraOverview.count	The count in it; missing where nobody has codes counted, and in `status`.
    CameraOverview.name	Its name, as in `camera` of requests and events.
    CameraOverview.scan	The scan that is armed in it.
    CameraOverview.scanner	The scanner of its frames.
    CameraSelectRequest	Uses another camera, until the service ends.
    CameraSelectRequest.camera	The camera, by its name; the first one when missing.
    CameraSelectRequest.id	Its identity or device.
    CameraSelectResult	The camera that is used.
    CameraSelectResult.id	Its identity.
    CameraState	The states of the camera.
    CameraState.back	It is there again.
    CameraState.closed	Nobody needs it.
    CameraState.lost	It is gone.
    CameraState.opened	It is open.
    CameraState.stalled	Frames stay out.
    CameraState.streaming	Frames arrive.
    CameraStatistics	The frames and lanes of one of several cameras.
    CameraStatistics.frames	Frames since the start.
    CameraStatistics.lanes	The lanes.
    CameraStatistics.name	Its name.
    CameraStatus	The state of the camera.
    CameraStatus.code	Why it is not available.
    CameraStatus.device	Which camera.
    CameraStatus.format	The pixel format it sends.
    CameraStatus.height	Height in pixels.
    CameraStatus.hint	The remedy.
    CameraStatus.message	The message.
    CameraStatus.rate	Frames a second.
    CameraStatus.status	Its state.
    CameraStatus.width	Width in pixels.
    CancelReason	Why a scan ended without a confirmation.
    CancelReason.cancelled	A client cancelled it.
    CancelReason.disconnected	The client that held it left.
    CancelReason.replaced	The same client began another.
    CancelReason.stopping	The service stops.
    CancelReason.timedOut	Its time was over.
    Card	The contents of a card.
    Card.actionData	The data of the button's action: an address, a number, anything.
    Card.actionText	The label of its button.
    Card.actionType	The action of the button.
    Card.description	Its text.
    Card.image	The id of its picture, for `media.resource`.
    Card.language	The language of its words (BCP 47), where the scene names it.
    Card.title	Its title.
    CardAction	The button of a card was pressed; the client that shows the card does what it says.
    CardAction.actionData	The data of the action.
    CardAction.actionType	The kind of action.
    CardAction.businessObject	The integrator's own data.
    CardAction.by	The client that pressed it.
    CardAction.copy	The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
    CardAction.id	The annotation.
    CardActionRequest	Presses the button of a card.
    CardActionRequest.copy	The copy of its anchor that is meant; when missing the one at which it was selected.
    CardActionRequest.id	The annotation; the selected one when missing.
    CardActionResult	The action of the button.
    CardActionResult.actionData	The data of the action.
    CardActionResult.actionType	The kind of action.
    CardActionResult.businessObject	The integrator's own data.
    CardActionResult.copy	The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
    CardActionResult.id	The annotation.
    CardCloseRequest	Closes the detail panel.
    CardClosed	The detail panel of a card closed.
    CardClosed.by	The client that closed it.
    CardClosed.id	The annotation.
    CardOpenRequest	Opens the detail panel of a card.
    CardOpenRequest.copy	The copy of its anchor that is meant; when missing the one at which it was selected.
    CardOpenRequest.id	The annotation; the selected one when missing.
    CardOpened	The detail panel of a card opened.
    CardOpened.by	The client that opened it.
    CardOpened.card	Its card.
    CardOpened.copy	The copy of its anchor that was meant; missing where one alone is followed, or none was meant.
    CardOpened.id	The annotation.
    CloseReason	Why the service closes a connection.
    CloseReason.bodyTimeout	The bytes behind a request did not come in time.
    CloseReason.lineTooLong	It sent a line of more than 64 KiB.
    CloseReason.notPermitted	Its user may not connect.
    CloseReason.roleChanged	Its user has another role than when it came, or none; it may come again.
    CloseReason.slowConsumer	It did not read.
    CloseReason.stopping	The service stops.
    CloseReason.tooManyClients	There are too many connections.
    CodeFound	A code is known and followed from now on.
    CodeFound.bytesBase64	Its content's bytes; missing when redacted.
    CodeFound.charset	How the bytes became text.
    CodeFound.code	Its number: counts up; a code that comes back after `code.lost` has a new one.
    CodeFound.corners	Corners of the upright code from its top left clockwise, in pixels.
    CodeFound.part	Which part of a message it carries, where it is one of several codes; missing when redacted.
    CodeFound.pose	Where it is; null where its printed size is not known.
    CodeFound.redacted	True where something was left out for an observer.
    CodeFound.symbology	The symbology.
    CodeFound.text	Its content as text; missing when redacted.
    CodeLost	A code has been out of view for a while, or something else stands in its place.
    CodeLost.code	Its number.
    CodeLost.lastSeen	When it was last seen: seconds of `CLOCK_MONOTONIC`.
    CodeSize	How large some codes are printed.
    CodeSize.prefix	Only codes whose text begins so.
    CodeSize.symbology	Only codes of this symbology.
    CodeSize.width	The width of the symbol in metres, its quiet zone left out. More than 0, at most 10.
    CodeTracking	A code in a frame.
    CodeTracking.code	Its number.
    CodeTracking.corners	Corners of the upright code from its top left clockwise, in pixels; not smoothed.
    CodeTracking.counted	True where codes are counted and this one was; missing otherwise.
    CodeTracking.pose	Smoothed; null where its printed size is not known.
    CodeTracking.rawPose	Not smoothed; null where its printed size is not known.
    CodeTracking.score	How alike the frame and the code's picture are, 0 to 1.
    CodeTracking.trackingMethod	How its place was come by.
    CodesFollowRequest	Asks for codes to be read and followed: `code.found`, `codes.updated` and `code.lost` tell of them until `codes.unfollow` or until the client leaves. A second request of a client takes the place of its first.
    CodesFollowRequest.camera	The camera, by its name; the first one when missing.
    CodesFollowRequest.sizes	How large codes are printed; the first that fits holds. From 0 to 64 entries.
    CodesFollowRequest.symbologies	The symbologies to read; all that are configured for scans when missing.
    CodesUnfollowRequest	Ends what `codes.follow` of the same client began.
    CodesUnfollowRequest.camera	The camera, by its name; the first one when missing.
    CodesUpdated	Where every code is that is followed; one a frame.
    CodesUpdated.codes	The codes, by their numbers.
    CodesUpdated.intrinsics	The camera's intrinsics that the poses were computed with.
    ConfigReloadRequest	Reloads the configuration, as SIGHUP does.
    ConfigReloadResult	The configuration was taken over.
    ConfigReloadResult.restart	Sections that changed and need a restart.
    ConnectionClosed	The last line before the service closes this connection on its own.
    ConnectionClosed.reason	Why.
    ConsentChooseRequest	Records a choice: about the consent that is asked for, or of a user who is signed in about any.
    ConsentChooseRequest.choice	`allow`; else `deny` for what is needed and `later` for what is not. Once signed in, `deny` withdraws either; without what is needed they are signed out.
    ConsentChooseRequest.consent	The consent's id.
    ConsentChooseRequest.language	The language it was shown in.
    ConsentEntry	One choice, as it is kept.
    ConsentEntry.choice	`allow`, `deny`, `later`.
    ConsentEntry.consent	The consent.
    ConsentEntry.hash	SHA-256 of what was shown: docs/accounts.md.
    ConsentEntry.language	The language it was shown in.
    ConsentEntry.time	When: RFC 3339, UTC.
    ConsentEntry.version	Its version.
    ConsentExportEntry	The choices of one user.
    ConsentExportEntry.records	Oldest first.
    ConsentExportEntry.subject	Their name in the integrator's system.
    ConsentExportEntry.title	Their name.
    ConsentExportEntry.user	The service's name for them.
    ConsentExportRequest	Asks for choices that were recorded: for administration.
    ConsentExportRequest.user	The user; everybody when missing.
    ConsentExportResult	Choices by user.
    ConsentExportResult.users	By name.
    ConsentRecorded	A choice was written down.
    ConsentRecorded.record	The choice, and what it was about.
    ConsentRecorded.user	The user who chose.
    ConsentStep	Which consent is asked for, and which of its screens is shown.
    ConsentStep.id	Its id.
    ConsentStep.page	Its screen, counted from 0.
    ConsentStep.pages	How many screens it has; the choice is on the last.
    Conventions	How numbers are meant, for the reader of a log; clients need not parse it.
    Conventions.anchorCorners	The order of an anchor's corners.
    Conventions.anchorFrame	The anchor's frame.
    Conventions.anchorReferenceLongSide	The long side to which references are scaled, in pixels.
    Conventions.cameraFrame	The camera's frame.
    Conventions.codeCorners	The order of a code's corners.
    Conventions.homography	How it is to be read.
    Conventions.matrix	How it is to be read.
    Conventions.pixels	The frame of pixel coordinates.
    Conventions.units	Units.
    CountBeginRequest	Begins to count the codes that the camera sees, each copy once, or takes part in the count that goes on: it lasts until everybody who takes part has ended it or left.
    CountBeginRequest.camera	The camera, by its name; the first one when missing.
    CountBeginRequest.count	The count to go on with, for a client that lost its connection: it is kept for 30 seconds after the last one has left so.
    CountBeginRequest.symbologies	The symbologies to count; all that are configured for scans when missing. A count that goes on keeps its own.
    CountEndRequest	Ends a client's part in the count; with the last one the count is over.
    CountEndRequest.camera	The camera, by its name; the first one when missing.
    CountEnded	The count is over.
    CountEnded.count	The count.
    CountEnded.reason	Why.
    CountEnding	Why a count ended.
    CountEnding.disconnected	Everybody left, and nobody came back.
    CountEnding.ended	Everybody who took part ended it.
    CountEnding.stopping	The service stops.
    CountResetRequest	Forgets what was counted so far, for everybody who takes part.
    CountResetRequest.camera	The camera, by its name; the first one when missing.
    CountState	Everything that was counted; told when it changes, at most five times a second.
    CountState.codes	The different codes, in the order in which they began to count; at most 500.
    CountState.count	The count: the same until it is over.
    CountState.full	True where more was seen than is counted: at most 1024 copies of 500 different codes.
    CountState.stretches	The stretches between which the camera's position was lost: where there are several, copies may count twice.
    CountState.total	How many codes, copies and all.
    CountState.views	How many frames were looked at.
    CountedArticle	A code and how often it was counted.
    CountedArticle.amount	How many copies there are.
    CountedArticle.name	The name under which a person may be shown it: the content where that may be the number of an article, missing for addresses, data of programs and secrets.
    CountedArticle.symbology	The symbology.
    CountedArticle.text	Its content; missing where it may hold a secret, such as the password of a network or the data of an onboarding, or takes more than 160 bytes, and for observers where it is not known to be harmless.
    DocumentAdjustRequest	Sets the corners of a page in its picture.
    DocumentAdjustRequest.corners	Four [x, y] in pixels of the picture, clockwise from the page's top left; the whole picture when missing.
    DocumentAdjustRequest.page	Its id.
    DocumentAdjustRequest.snap	True if the corners move to the page's edges where there are some near them.
    DocumentAdvice	An advice to a person before a page is captured. Words that a newer service brings are kept as they are.
    DocumentAdvice.rawValue	The word on the wire.
    DocumentBeginRequest	Begins to look for pages, or takes over the session that is there.
    DocumentBeginRequest.camera	The camera that captures, by its name; the first one when missing.
    DocumentBeginRequest.filter	The filter for new pages; `colour` when missing.
    DocumentBeginRequest.mode	True if pages are captured by themselves; they are when missing.
    DocumentCaptureRequest	Presses the shutter: the next frame is captured, with or without a page in it.
    DocumentCaptured	A page was captured and written down.
    DocumentCaptured.automatic	True if it was captured by itself.
    DocumentCaptured.count	How many pages there are now.
    DocumentCaptured.others	The corners of further pages in the same picture, three at most, likeliest first; missing where there are none, and for observers.
    DocumentCaptured.page	The page; missing for observers.
    DocumentCaptured.replaced	True if it took another one's place.
    DocumentCaptured.session	The session.
    DocumentChanged	The session or its pages changed otherwise.
    DocumentChanged.document	As it is now.
    DocumentDeleteRequest	Takes a page out; it can be brought back for a while.
    DocumentDeleteRequest.page	Its id.
    DocumentDiscardRequest	Throws the pages away and ends the session.
    DocumentEndRequest	Ends looking for pages; they stay until they are saved, discarded or too old.
    DocumentEnded	The session is over, or no client holds it any longer.
    DocumentEnded.by	The client that ended it.
    DocumentEnded.count	Pages that are kept for the next client.
    DocumentEnded.reason	Why.
    DocumentEnded.session	The session.
    DocumentEnding	Why a session ended.
    DocumentEnding.discarded	Its pages were thrown away.
    DocumentEnding.disconnected	Its client left; its pages are kept.
    DocumentEnding.ended	Its client ended it; its pages are kept.
    DocumentEnding.expired	Its pages were older than the configuration allows.
    DocumentEnding.saved	Its pages were saved.
    DocumentEnding.stopping	The service stops; its pages are kept.
    DocumentFailed	A page could not be captured or kept; the session goes on with what it has.
    DocumentFailed.code	A stable camelCase word: `noSpace`, `tooManyPages`, `badPicture`, `notWritten`.
    DocumentFailed.hint	The remedy.
    DocumentFailed.message	The message.
    DocumentFailed.session	The session.
    DocumentFilter	The filter for a page.
    DocumentFilter.bw	Black and white, for text.
    DocumentFilter.colour	White balanced, shadows taken away.
    DocumentFilter.grayscale	The same without colour.
    DocumentFilter.photo	Nothing.
    DocumentFilterRequest	Sets the filter of a page.
    DocumentFilterRequest.filter	The filter.
    DocumentFilterRequest.page	Its id; all pages, and those to come, when missing.
    DocumentFormat	The format that pages are saved in.
    DocumentFormat.jpeg	A file for each page.
    DocumentFormat.pdf	One file of all pages.
    DocumentFormat.png	A file for each page.
    DocumentMode	The mode of capture: automatic, or by request.
    DocumentMode.automatic	A page that is held still is captured.
    DocumentMode.manual	Only the shutter captures.
    DocumentMode.paused	Capturing is paused.
    DocumentModeRequest	Sets the capture mode: automatic, by the shutter only, or paused.
    DocumentModeRequest.mode	Which.
    DocumentOutline	Where the page is in a frame, and how far capturing it has come.
    DocumentOutline.advice	The advice to a person.
    DocumentOutline.corners	Four [x, y] in pixels of the frame, clockwise from the page's top left; missing while no page is in view.
    DocumentOutline.phase	How far it has come.
    DocumentOutline.progress	How much of the time of holding still is over, 0…1, while it is held.
    DocumentOutline.score	How likely it is a page, 0…1.
    DocumentOutline.session	The session.
    DocumentPage	A page of the session.
    DocumentPage.captured	When it was captured: RFC 3339, UTC.
    DocumentPage.corners	Where it is in that picture: four [x, y] clockwise from its top left; the whole picture when missing.
    DocumentPage.filter	The filter for it.
    DocumentPage.format	`A4`, `Letter`, `ID-1` or `receipt`, where its shape says so.
    DocumentPage.height	Of the picture that it was captured in, in pixels.
    DocumentPage.id	Its id.
    DocumentPage.revision	Rises with every change: what was drawn of it before is old.
    DocumentPage.rotation	Degrees that it is turned by, clockwise.
    DocumentPage.width	Of the picture that it was captured in, in pixels.
    DocumentPagesRequest	Returns the session and its pages.
    DocumentPhase	How far capturing has come.
    DocumentPhase.found	One is.
    DocumentPhase.holding	It is held still and is about to be captured.
    DocumentPhase.searching	No page is in view.
    DocumentPhase.waiting	It was captured; the next one is waited for.
    DocumentReorderRequest	Puts a page elsewhere in the order.
    DocumentReorderRequest.index	Its place afterwards, from 0.
    DocumentReorderRequest.page	Its id.
    DocumentRestoreRequest	Brings a page back that was taken out.
    DocumentRestoreRequest.page	Its id.
    DocumentRetakeRequest	Lets the next capture take a page's place.
    DocumentRetakeRequest.page	Its id; no page when missing: the next capture adds one.
    DocumentRotateRequest	Turns a page.
    DocumentRotateRequest.degrees	Clockwise: 90, 180 or 270.
    DocumentRotateRequest.page	Its id.
    DocumentSaveRequest	Writes the pages into files; then the session is over.
    DocumentSaveRequest.format	`pdf` when missing.
    DocumentSaveRequest.name	The name of the file, without an ending; the time when missing.
    DocumentSaved	The pages are saved.
    DocumentSaved.by	The client that saved them.
    DocumentSaved.format	The format that they were saved in.
    DocumentSaved.pages	How many.
    DocumentSaved.paths	The files; missing for observers.
    DocumentSaved.session	The session, which is over.
    DocumentSession	The session: the pages that were captured and not yet saved.
    DocumentSession.by	The client that holds it; nobody when its client has left.
    DocumentSession.camera	The camera that captures, where there are several.
    DocumentSession.count	How many pages there are.
    DocumentSession.filter	The filter for new pages.
    DocumentSession.mode	True if pages are captured by themselves.
    DocumentSession.pages	The pages in their order; missing for observers.
    DocumentSession.removed	Ids of pages that were taken out and can be brought back.
    DocumentSession.retake	The page whose place the next capture takes.
    DocumentSession.session	Its id: the same after a restart.
    Empty	A result or parameters without content.
    Event	An event as a client receives it.
    Event.body	The body.
    Event.camera	The name of the camera that it is of, where the service has several.
    Event.frame	The frame that it was born of.
    Event.seq	The service's counter; gaps are normal. `nil` for what concerns one connection alone, such as `hello`.
    Event.time	When the event was made: RFC 3339, UTC, milliseconds.
    EventBody	One event as it came over the wire, by its payload.
    EventPosition	The last event that a client has received.
    EventPosition.instance	The run of the service that counts.
    EventPosition.seq	The last event that the client has.
    FormAcknowledgeRequest	Acknowledges a form: the service deletes it.
    FormAcknowledgeRequest.id	Its id.
    FormAcknowledgeResult	A form was forgotten.
    FormAcknowledgeResult.pending	How many still wait.
    FormField	A field of a form and what was filled in.
    FormField.label	The label that the person saw beside it.
    FormField.name	Its name: a word of the integrator's. From 1 to 128 bytes.
    FormField.value	The whole text that was filled in.
    FormPendingRequest	Lists pending forms, the oldest first.
    FormPendingRequest.after	Only those after this id.
    FormPendingRequest.limit	The most forms to return; 20 when missing. Fewer come when they are large. From 1 to 100.
    FormPendingResult	Pending forms.
    FormPendingResult.forms	The forms, as their events told of them.
    FormPendingResult.more	True if there are more: ask again with the last id as `after`.
    FormSubmitRequest	Hands a form that a person has filled in to the programs on the socket.
    FormSubmitRequest.context	Anything: comes back in `form.submitted`.
    FormSubmitRequest.fields	The fields that were filled in, in the order of the form. From 1 to 200 entries.
    FormSubmitRequest.form	Which form it is: a word of the integrator's. From 1 to 128 bytes.
    FormSubmitRequest.key	The client's own name for this submission: sent once more under the same one it is not taken twice. From 1 to 128 bytes.
    FormSubmitResult	The form is stored until a client acknowledges it.
    FormSubmitResult.id	Its id.
    FormSubmitResult.submitted	When it was taken in: RFC 3339, UTC, milliseconds.
    FormSubmitted	A person has filled in a form and sent it.
    FormSubmitted.by	The client that sent it.
    FormSubmitted.context	The `context` of `form.submit`.
    FormSubmitted.fields	The fields that were filled in; operators alone see them.
    FormSubmitted.form	Which form it is.
    FormSubmitted.id	Its id, for `form.acknowledge`.
    FormSubmitted.key	The client's own name for this submission.
    FormSubmitted.submitted	When it was taken in: RFC 3339, UTC, milliseconds.
    FrameReference	The frame that an event was born of.
    FrameReference.captured	When it was captured: seconds of `CLOCK_MONOTONIC`.
    FrameReference.height	Height in pixels, after the configured rotation.
    FrameReference.sequence	The service's own count of frames; keeps rising when the camera is opened again.
    FrameReference.source	The kind of source that the frame comes from.
    FrameReference.width	Width in pixels, after the configured rotation.
    FrameStatistics	Frames since the start.
    FrameStatistics.bad	Damaged frames that were skipped.
    FrameStatistics.captured	Frames that arrived.
    FrameStatistics.lost	Frames lost between driver and slot.
    FrameStatistics.stages	Where their time went before the lanes: `driver` (from the capture to our hands), `luma`.
    GalleryListRequest	Asks for pictures in the configured folders, newest first.
    GalleryListRequest.after	Go on behind this picture.
    GalleryListRequest.limit	The most pictures to return; 50 when missing. From 1 to 500.
    GalleryListResult	Pictures.
    GalleryListResult.next	The value of `after` for more; missing at the end.
    GalleryListResult.pictures	The pictures.
    GalleryPicture	A picture in one of the configured folders.
    GalleryPicture.id	Its id: opaque, never a path, valid as long as the file stays.
    GalleryPicture.modified	When it was last changed: RFC 3339, UTC.
    GalleryPicture.name	The name of the file, for people.
    GalleryPicture.size	Bytes of the file.
    GalleryScanRequest	Reads a picture of the gallery like a frame; the verdict also goes out as an event.
    GalleryScanRequest.camera	The camera in whose scan an accepted code waits, by its name; the first one when missing.
    GalleryScanRequest.context	Anything; comes back with the events.
    GalleryScanRequest.id	The picture.
    GalleryScanRequest.mode	The purpose; onboarding when missing.
    GalleryScanResult	The codes read.
    GalleryScanResult.invalid	The refusal.
    GalleryScanResult.outcome	The outcome.
    GalleryScanResult.scan	The scan that it was: a successful onboarding waits for its confirmation.
    GalleryScanResult.successful	Accepted codes.
    GalleryScanResult.unsuccessful	Why nothing came of it.
    Hello	The first line on every connection.
    Hello.client	The number of this connection, as `by.client` shows it in events.
    Hello.conventions	How numbers are meant.
    Hello.features	The features of this service beyond the plain protocol.
    Hello.instance	Changes with every run of the service.
    Hello.protocol	The version of the protocol.
    Hello.role	The role of this connection.
    Hello.server	Always `waymark`.
    Hello.version	The version of the service.
    Intrinsics	The camera's geometry that poses were computed with.
    Intrinsics.cx	Horizontal place of the principal point in pixels.
    Intrinsics.cy	Vertical place of the principal point in pixels.
    Intrinsics.distortion	k1, k2, p1, p2, k3 of the Brown–Conrady model.
    Intrinsics.fx	Horizontal focal length in pixels.
    Intrinsics.fy	Vertical focal length in pixels.
    Intrinsics.source	Where the numbers come from.
    IntrinsicsSource	Where intrinsics come from.
    IntrinsicsSource.assumed	A usual field of view.
    IntrinsicsSource.calibrated	A calibration of this camera at this size.
    IntrinsicsSource.estimated	Found from what was followed in this camera: square pixels, a centred lens without distortion.
    LaneStatistics	A lane of the pipeline.
    LaneStatistics.frames	Frames it looked at since the start.
    LaneStatistics.name	Its name.
    LaneStatistics.p50	Median time a frame took lately, in seconds.
    LaneStatistics.p99	99th percentile of it, in seconds.
    LaneStatistics.skipped	Frames it had no time for since the start.
    LaneStatistics.stages	Where the time went: `wait` (from the capture to the lane), the lane's own stages, `deliver`, and `total` (from the capture until it was handed on).
    MarkerChanged	A marker becomes visible or not, selected or not.
    MarkerChanged.copy	The copy of the anchor that it hangs on, where each copy has a marker of its own.
    MarkerChanged.id	The annotation.
    MarkerChanged.pulsing	True if it pulses.
    MarkerChanged.selected	True if it has the focus.
    MarkerChanged.visible	True if it is to be drawn.
    MarkerTracking	A marker in a frame.
    MarkerTracking.depth	Distance along the line of sight in metres; null when not known.
    MarkerTracking.id	The annotation.
    MarkerTracking.screen	x, y in pixels of the frame; null when it lies behind the camera or nothing is known.
    MarkerTracking.selected	True if it has the focus.
    MarkerTracking.visible	True if it is to be drawn.
    MediaDocumentRequest	Asks for the picture of a page, over a connection that carries pictures.
    MediaDocumentRequest.original	The picture as it was captured instead of the page as it will be saved.
    MediaDocumentRequest.page	Its id.
    MediaDocumentRequest.width	The width wanted in pixels; its own when missing. From 16 to 8192.
    MediaGalleryRequest	Asks for a picture of the gallery.
    MediaGalleryRequest.id	Its id.
    MediaGalleryRequest.width	The width wanted in pixels; its own when missing. From 16 to 8192.
    MediaHeader	The line before a picture: `size` bytes follow it.
    MediaHeader.camera	The camera that it is of, where there are several.
    MediaHeader.format	`jpeg`, `png`, `webp`, `bmp`, `gif` or `pnm`.
    MediaHeader.frame	The frame it shows.
    MediaHeader.height	Height in pixels.
    MediaHeader.id	The request that it answers.
    MediaHeader.size	Bytes that follow.
    MediaHeader.width	Width in pixels.
    MediaPreviewRequest	Asks for the live picture; the connection carries pictures from now on.
    MediaPreviewRequest.camera	The camera, by its name; the first one when missing.
    MediaPreviewRequest.rate	Pictures a second at most. From 0.01 to 240.
    MediaPreviewRequest.width	The width wanted in pixels; the camera's when missing. From 16 to 8192.
    MediaResourceRequest	Asks for a picture of the scene.
    MediaResourceRequest.id	Its id.
    MediaResourceRequest.width	The width wanted in pixels; its own when missing. From 16 to 8192.
    MediaSnapshotRequest	Asks for the next frame as a picture.
    MediaSnapshotRequest.camera	The camera, by its name; the first one when missing.
    MediaSnapshotRequest.width	The width wanted in pixels; the camera's when missing. From 16 to 8192.
    MessagePart	The place of a code in a message that is spread over several (structured append, Macro PDF417).
    MessagePart.count	How many codes carry the message; missing where only another of them tells.
    MessagePart.id	The identifier that all parts of one message share, as the codes tell it; missing where they tell none.
    MessagePart.index	Its number, from 1.
    PingRequest	Asks whether the service answers.
    PingResult	The answer to a ping.
    PingResult.monotonic	`CLOCK_MONOTONIC` in seconds, the clock of `captured`.
    PingResult.time	The service's clock: RFC 3339, UTC, milliseconds.
    PoseValue	Where an anchor is: the map from the anchor's frame to the camera's (right-handed, +x right, +y up, looking along −z).
    PoseValue.matrix	The same as a 4×4 matrix of 16 numbers, column-major.
    PoseValue.orientation	A unit quaternion x, y, z, w.
    PoseValue.position	x, y, z of the anchor's origin in the camera's frame, in metres.
    PrimaryAction	The label of the coaching view's button.
    PrimaryAction.beginScan	The first time.
    PrimaryAction.returnToScan	After the view has closed once.
    ProfileDescription	A profile, and when it is in use by itself.
    ProfileDescription.codes	True if codes choose it. They are not told: whoever has one may choose.
    ProfileDescription.days	The days of the week on which it is in use, `mon` to `sun`; missing where all are.
    ProfileDescription.profile	Its name.
    ProfileDescription.times	The times of day, such as `08:00-17:30`, in the time zone of the device; missing where all are.
    ProfileListRequest	Asks which profiles there are and which one is in use.
    ProfileListResult	The profiles of the configuration.
    ProfileListResult.active	The one in use, as the last `profile.changed` told it.
    ProfileListResult.profiles	Each of them, in the order in which they are tried.
    ProfileReason	The reason why a profile is in use.
    ProfileReason.code	Its code was scanned.
    ProfileReason.none	Nothing chose one: the usual settings hold.
    ProfileReason.request	A client asked for it by `profile.use`.
    ProfileReason.schedule	Its days and times.
    ProfileStatus	The profile in use, and why: another one than before.
    ProfileStatus.by	The client that asked for it.
    ProfileStatus.cues	The cues that are signalled while it is in use; all where it names none.
    ProfileStatus.profile	Its name; missing where the usual settings hold.
    ProfileStatus.reason	The reason why it is in use.
    ProfileStatus.until	When a choice ends by itself: RFC 3339, UTC.
    ProfileUseRequest	Chooses a profile, before the schedule; without one takes the choice of a request or a code back.
    ProfileUseRequest.profile	Its name.
    ProfileUseRequest.seconds	Seconds after which the choice ends by itself; it holds until another one when missing. From 1 to 86400.
    Role	The role of a connection.
    Role.observer	Events with secrets redacted, no pictures.
    Role.operator	Commands, full payloads, pictures.
    RoleLowerRequest	Gives up rights for the rest of this connection, before it is used for somebody who has fewer.
    RoleLowerRequest.role	The role from now on: the own one, or one below it.
    RoleLowerResult	The role that a connection has now.
    RoleLowerResult.role	The role.
    ScanAdvice	An advice that would make a code readable.
    ScanAdvice.blurred	Hold still.
    ScanAdvice.cutOff	Show all of it.
    ScanAdvice.tooBright	Less light.
    ScanAdvice.tooClose	Go back.
    ScanAdvice.tooDark	More light.
    ScanAdvice.tooSmall	Come closer.
    ScanBeginRequest	Arms a scan.
    ScanBeginRequest.camera	The camera, by its name; the first one when missing.
    ScanBeginRequest.context	Anything; comes back with every event of the scan.
    ScanBeginRequest.mode	The purpose.
    ScanBeginRequest.once	Ends after the first code (barcode mode).
    ScanBeginRequest.region	x, y, width, height as shares of the frame: a code counts when its centre lies inside.
    ScanBeginRequest.symbologies	The symbologies to read; the configured ones when missing.
    ScanBeginRequest.timeout	Seconds after which it ends without a read; never when missing. More than 0, at most 86400.
    ScanBeginResult	The scan that is armed.
    ScanBeginResult.scan	Its id.
    ScanCancelRequest	Ends a scan.
    ScanCancelRequest.camera	The camera, by its name; when missing that of the scan, and the first one without either.
    ScanCancelRequest.scan	Which; the armed one when missing.
    ScanCancelled	The person left, or the scan ended otherwise.
    ScanCancelled.by	The client that cancelled.
    ScanCancelled.context	The `context` of `scan.begin`, unread.
    ScanCancelled.reason	Why.
    ScanCancelled.scan	The scan it belongs to.
    ScanConfirmRequest	Confirms the verdict that is waiting.
    ScanConfirmRequest.camera	The camera, by its name; when missing that of the scan, and the first one without either.
    ScanConfirmRequest.scan	Which; the armed one when missing.
    ScanConfirmed	The person went on.
    ScanConfirmed.by	The client that confirmed.
    ScanConfirmed.context	The `context` of `scan.begin`, unread.
    ScanConfirmed.scan	The scan it belongs to.
    ScanEnded	An armed scan is over, however it ended: the last event of it.
    ScanEnded.by	The client that ended it, where one did.
    ScanEnded.context	The `context` of `scan.begin`, unread.
    ScanEnded.reason	How it ended.
    ScanEnded.scan	The scan.
    ScanEnding	How a scan ended.
    ScanEnding.cancelled	A client cancelled it.
    ScanEnding.confirmed	The person went on with its verdict.
    ScanEnding.disconnected	The client that held it left.
    ScanEnding.once	It was to end with its first code.
    ScanEnding.replaced	The same client began another, or a client took over what the service had armed.
    ScanEnding.stopping	The service stops.
    ScanEnding.timedOut	Its time was over.
    ScanGuide	An armed scan sees a code that it cannot read.
    ScanGuide.advice	The advice that would help.
    ScanGuide.by	The owner of the scan; nobody when the service armed itself.
    ScanGuide.context	The `context` of `scan.begin`, unread.
    ScanGuide.corners	Where the code is.
    ScanGuide.scan	The scan it belongs to.
    ScanInvalid	A code was read; policy or signature refused it.
    ScanInvalid.by	The owner of the scan; nobody when the service armed itself.
    ScanInvalid.context	The `context` of `scan.begin`, unread.
    ScanInvalid.corners	Corners of the code.
    ScanInvalid.kind	The kind of the payload.
    ScanInvalid.picture	The picture of the gallery.
    ScanInvalid.reason	Why: the first check that failed.
    ScanInvalid.scan	The scan it belongs to.
    ScanInvalid.source	Where it was seen.
    ScanMode	The purpose of a scan.
    ScanMode.barcode	Any code: what it says is handed on.
    ScanMode.onboarding	A code to onboard with: policy and signature decide.
    ScanOutcome	The outcome of a picture.
    ScanOutcome.invalid	Refused.
    ScanOutcome.successful	Accepted.
    ScanOutcome.unsuccessful	Nothing acceptable read.
    ScanPictureRequest	Judges a picture that the client itself sends: `size` bytes of a picture file follow the request's line at once. The bytes count as part of the request: nothing else may be sent between. A request that is refused for its size ends the connection, since its bytes could not be told from requests.
    ScanPictureRequest.camera	The camera in whose scan an accepted code waits, by its name; the first one when missing.
    ScanPictureRequest.context	Comes back with the verdict, unread.
    ScanPictureRequest.mode	The purpose of reading the picture; onboarding when missing.
    ScanPictureRequest.size	The bytes that follow the line: at most 16 MiB. From 1 to 16777216.
    ScanSource	The kind of source that a verdict or a frame comes from.
    ScanSource.camera	A camera of this device.
    ScanSource.folder	A folder of pictures that is played as frames.
    ScanSource.picture	A single picture: of the gallery, or sent by a client.
    ScanSource.stream	A stream of pictures: a file, a pipe, or standard input.
    ScanSuccessful	An accepted code.
    ScanSuccessful.addOn	The digits of the add-on beside a code of retail, where add-ons are asked for; missing when redacted.
    ScanSuccessful.by	The owner of the scan; nobody when the service armed itself.
    ScanSuccessful.bytesBase64	The payload's bytes; missing when redacted.
    ScanSuccessful.charset	How the bytes became text.
    ScanSuccessful.connectTo	The host to show to the person before going on.
    ScanSuccessful.context	The `context` of `scan.begin`, unread.
    ScanSuccessful.corners	Corners of the upright code from its top left clockwise, in pixels.
    ScanSuccessful.fields	The fields of the payload, by name; missing when redacted.
    ScanSuccessful.gs1	True where the code declares that it holds GS1 element strings.
    ScanSuccessful.kind	The kind of the payload; null in barcode mode.
    ScanSuccessful.part	Which part it is of a message that is spread over several codes, where not all of them were in view; missing when redacted.
    ScanSuccessful.picture	The picture of the gallery.
    ScanSuccessful.redacted	True where something was left out for an observer.
    ScanSuccessful.scan	The scan it belongs to.
    ScanSuccessful.source	Where it was seen.
    ScanSuccessful.symbology	The symbology.
    ScanSuccessful.text	The payload as text; missing when redacted.
    ScanUnsuccessful	A still picture, or an armed scan that timed out, without an acceptable read.
    ScanUnsuccessful.by	The owner of the scan; nobody when the service armed itself.
    ScanUnsuccessful.context	The `context` of `scan.begin`, unread.
    ScanUnsuccessful.corners	Corners of what could not be used.
    ScanUnsuccessful.missing	The parts of a structured append that are missing, from 1 on.
    ScanUnsuccessful.picture	The picture of the gallery.
    ScanUnsuccessful.reason	Why.
    ScanUnsuccessful.scan	The scan it belongs to.
    ScanUnsuccessful.source	Where it was seen.
    ScannerState	The states of the scanner.
    ScannerState.error	It cannot scan.
    ScannerState.idle	Nothing is armed, the camera rests.
    ScannerState.ready	A verdict waits for its confirmation, or the camera streams for somebody else.
    ScannerState.scanning	A scan is armed.
    ScannerStatus	The state of the scanner.
    ScannerStatus.by	The client that holds the armed scan; nobody when the service armed itself.
    ScannerStatus.code	The error's code.
    ScannerStatus.frames	Frames that the armed scan has looked at.
    ScannerStatus.hint	The remedy.
    ScannerStatus.message	The message.
    ScannerStatus.mode	The mode of the armed scan.
    ScannerStatus.scan	The armed scan.
    ScannerStatus.status	Its state.
    SceneDescription	A scene as clients see it.
    SceneDescription.anchors	Its anchors.
    SceneDescription.camera	The camera in which it is followed, where there are several.
    SceneDescription.scene	Its name for `scene.load`.
    SceneDescription.title	Its title for people.
    SceneFailed	A scene cannot be used; the one before stays.
    SceneFailed.code	The error's code.
    SceneFailed.hint	The remedy.
    SceneFailed.message	The message.
    SceneFailed.problems	Everything that is wrong with it.
    SceneFailed.scene	Its name.
    SceneListRequest	Asks for the scenes.
    SceneListResult	The scenes.
    SceneListResult.scenes	The scenes in the configured folders.
    SceneLoadRequest	Uses a scene; `scene.loaded` or `scene.failed` follows.
    SceneLoadRequest.camera	The camera in which it is followed, by its name; that of the scene's file when missing, else the first one.
    SceneLoadRequest.name	Which.
    SceneLoadResult	The scene.
    SceneLoadResult.scene	Its name.
    SceneLoaded	A scene is in use.
    SceneLoaded.scene	The scene.
    SceneProgress	A scene is being loaded; coalesces.
    SceneProgress.done	Anchors compiled.
    SceneProgress.scene	Its name.
    SceneProgress.total	Anchors in all.
    SceneSummary	A scene in short.
    SceneSummary.loaded	True if it is in use.
    SceneSummary.scene	Its name for `scene.load`.
    SceneSummary.title	Its title.
    SceneUnloadRequest	Uses no scene.
    SceneUnloaded	No scene is in use any more.
    SceneUnloaded.by	The client that unloaded it.
    SceneUnloaded.scene	The scene that was.
    ServerStopping	The service stops.
    ServerStopping.reason	Why, for people.
    ServiceError	An error as it stands in a reply.
    ServiceError.Code	The codes of error replies. Codes that a newer service brings are kept as they are.
    ServiceError.Code.badConfiguration	The configuration file has problems; the old configuration stays in effect.
    ServiceError.Code.badParams	A parameter is missing, of the wrong type or out of range; the message names it.
    ServiceError.Code.badPicture	The picture cannot be read, or is not a picture.
    ServiceError.Code.busy	Another client holds it (`holder` names the client), or too many requests are being processed.
    ServiceError.Code.codeRefused	The code does not activate this device, or is not accepted any more when it is confirmed; the message ends with the reason.
    ServiceError.Code.full	The maximum is stored; something must be fetched or removed first.
    ServiceError.Code.internalError	The service failed; see its log.
    ServiceError.Code.lineTooLong	The line is longer than 64 KiB; the connection is closed.
    ServiceError.Code.malformedRequest	The line is not a request: not JSON, not an object, nested too deeply, without a method.
    ServiceError.Code.noCamera	There is no camera, or it delivers no frame.
    ServiceError.Code.noScan	No scan is armed.
    ServiceError.Code.noScene	No scene is loaded.
    ServiceError.Code.noSession	No document or text session is open, another client holds it, or the client takes part in no count.
    ServiceError.Code.noSpace	The disk is full; nothing was lost.
    ServiceError.Code.notConfigured	The configuration does not enable this.
    ServiceError.Code.notFound	Nothing has this name or id.
    ServiceError.Code.notPermitted	The role of this connection does not allow the method.
    ServiceError.Code.notSupported	The device cannot do this.
    ServiceError.Code.nothingToConfirm	No verdict is waiting to be confirmed.
    ServiceError.Code.passcodeRules	The passcode breaks rules; the message names them.
    ServiceError.Code.rawValue	The word on the wire.
    ServiceError.Code.replayed	The code was confirmed before; a code is accepted only once.
    ServiceError.Code.stopping	The service is stopping.
    ServiceError.Code.textEngineMissing	The program that reads text is not installed: `apt install waymark-text`.
    ServiceError.Code.textLanguageMissing	The model of a language is not installed; the hint names its package.
    ServiceError.Code.unknownMethod	There is no such method.
    ServiceError.Code.waiting	Too many wrong passcodes; the hint says how long to wait.
    ServiceError.Code.wrongConnection	The connection streams pictures, or carries events and was asked for pictures.
    ServiceError.Code.wrongPhase	The AR session, or an onboarding, is in another phase.
    ServiceError.code	A stable camelCase word.
    ServiceError.hint	The remedy.
    ServiceError.holder	The client that holds the thing asked for, with the code `busy`.
    ServiceError.message	The fault, and the thing it happened to.
    SessionCoachRequest	Opens the coaching view again.
    SessionExitRequest	Leaves the session.
    SessionGuide	The picture or code to look for.
    SessionGuide.anchor	The anchor.
    SessionGuide.resource	The id of its picture, for `media.resource`; missing for a code without one.
    SessionPhase	The phases of the AR session.
    SessionPhase.annotating	Markers are shown.
    SessionPhase.coaching	The person is told what to look for.
    SessionPhase.inactive	No session.
    SessionPhase.matched	An anchor was found; markers follow in a moment.
    SessionPhase.scanning	An anchor is looked for.
    SessionPhaseEvent	The AR session moved on.
    SessionPhaseEvent.by	The client that moved it, if one did.
    SessionPhaseEvent.guide	The picture or code to look for.
    SessionPhaseEvent.instruction	The text of the coaching view.
    SessionPhaseEvent.phase	Where it is now.
    SessionPhaseEvent.primaryAction	The action of the coaching view's button.
    SessionPhaseEvent.scene	The scene.
    SessionResult	Where the session is.
    SessionResult.phase	The phase.
    SessionScanRequest	Begin Scan, or Return to Scan.
    SessionStartRequest	Opens the AR session: coaching.
    SessionStartRequest.camera	The camera in which it is followed, by its name; when missing that of `scene.load`, and the same as before where the scene is in use.
    SessionStartRequest.scene	The scene; the one in use when missing.
    SignatureGetRequest	Asks for a signature as a file; the connection carries pictures from now on.
    SignatureGetRequest.format	`svg`, `png`, or `json` for the strokes; SVG when missing.
    SignatureGetRequest.id	Its id.
    SignatureListRequest	Lists the signatures that are kept, the oldest first.
    SignatureListRequest.after	Only those after this id.
    SignatureListRequest.limit	The most signatures to return; 20 when missing. From 1 to 100.
    SignatureListResult	The signatures that are kept.
    SignatureListResult.more	True if there are more: ask again with the last id as `after`.
    SignatureListResult.signatures	The signatures, as their events told of them.
    SignatureRemoveRequest	Forgets a signature.
    SignatureRemoveRequest.id	Its id.
    SignatureRemoveResult	A signature was forgotten.
    SignatureRemoveResult.kept	How many are kept still.
    SignatureSaveRequest	Stores a signature.
    SignatureSaveRequest.height	The area in which they were drawn, in pixels.
    SignatureSaveRequest.key	The client's own name for it: sent once more under the same one it is not kept twice. From 1 to 128 bytes.
    SignatureSaveRequest.purpose	The purpose, as the person has read it.
    SignatureSaveRequest.signer	The signer, where known.
    SignatureSaveRequest.strokes	Strokes: a flat list of whole numbers each, four a point: x and y in tenths of a pixel, milliseconds since the first point of the signature, pressure in thousandths or −1. The first point of a stroke is as it is; x, y and time of the others are differences from the point before.
    SignatureSaveRequest.subject	The thing signed: a text, or the hash of a document; goes into the signature's hash.
    SignatureSaveRequest.width	The area in which they were drawn, in pixels.
    SignatureSaveResult	The signature is kept.
    SignatureSaveResult.hash	SHA-256 over strokes and words, in hexadecimal digits.
    SignatureSaveResult.id	Its id.
    SignatureSaveResult.saved	When it was saved: RFC 3339, UTC, milliseconds.
    SignatureSaved	A person has signed.
    SignatureSaved.by	The client that sent it.
    SignatureSaved.hash	SHA-256 over strokes and words, in hexadecimal digits; operators alone see it, and all that follows.
    SignatureSaved.id	Its id, for `signature.get` and `signature.remove`.
    SignatureSaved.key	The client's own name for it.
    SignatureSaved.purpose	The purpose.
    SignatureSaved.saved	When it was saved: RFC 3339, UTC, milliseconds.
    SignatureSaved.signer	The signer, where known.
    Snapshot	The current state; events from the next `seq` on are its deltas.
    Snapshot.account	Where the device and its users are, where accounts are configured.
    Snapshot.anchors	Anchors in view.
    Snapshot.annotation	The annotation that has the focus.
    Snapshot.camera	The camera.
    Snapshot.cameras	The cameras in the order of the configuration, where there are several; `scanner`, `camera`, `scan`, `codes` and `count` are of the first.
    Snapshot.card	The card that is open.
    Snapshot.codes	Codes that are followed; missing where nobody has codes followed.
    Snapshot.count	The count; missing where nobody has codes counted.
    Snapshot.document	The pages that were captured and not yet saved.
    Snapshot.events	The patterns now subscribed.
    Snapshot.instance	The run of the service.
    Snapshot.markers	Markers of anchors in view.
    Snapshot.missed	True where some of those may be gone, because the service keeps no more or runs again.
    Snapshot.profile	The profile in use; missing where none are configured.
    Snapshot.replayed	How many earlier events follow this answer, where they were asked for.
    Snapshot.scan	The armed scan.
    Snapshot.scanner	The scanner.
    Snapshot.scene	The scene in use.
    Snapshot.seq	The last event before the snapshot.
    Snapshot.session	The AR session.
    Snapshot.text	The session that reads text.
    Snapshot.unmatched	Those of them that match no event that this service has: mistyped, or of a newer service.
    StageStatistics	A stage on the way of a frame.
    StageStatistics.frames	Frames that went through it since the start.
    StageStatistics.name	Its name.
    StageStatistics.p50	Median of the recent times, in seconds.
    StageStatistics.p99	99th percentile of them, in seconds.
    Statistics	Figures of the running service; once a second to who asked for them by name.
    Statistics.cameras	Frames and lanes of each camera, where there are several; `frames` and `lanes` are of the first.
    Statistics.clients	Connections that are open.
    Statistics.cpu	Processor seconds used since the start.
    Statistics.dropped	Events that slow clients lost since the start.
    Statistics.events	Events published since the start.
    Statistics.frames	Frames since the start.
    Statistics.lanes	The lanes.
    Statistics.memory	Resident memory in bytes.
    Statistics.uptime	Seconds since the start.
    Statistics.workers	The processes that read codes and pictures; nil when the service reads them itself.
    StatusRequest	Asks how the service is.
    StatusResult	How the service is.
    StatusResult.anchors	Anchors in view.
    StatusResult.camera	The camera.
    StatusResult.cameras	The cameras in the order of the configuration, where there are several; `scanner`, `camera` and `scan` are of the first.
    StatusResult.instance	Its run.
    StatusResult.intrinsics	The camera's geometry.
    StatusResult.scan	The armed scan.
    StatusResult.scanner	The scanner.
    StatusResult.scene	The scene in use.
    StatusResult.session	The AR session's phase.
    StatusResult.socket	Where it listens.
    StatusResult.started	When it started: RFC 3339, UTC.
    StatusResult.statistics	Figures.
    StatusResult.text	The session that reads text.
    StatusResult.version	Its version.
    StreamDropped	This connection was too slow and lost events.
    StreamDropped.count	How many.
    StreamDropped.sinceSeq	The last event before the gap.
    SubscribeRequest	Asks for events; the answer is the current state.
    SubscribeRequest.after	The last event that this client has: those that the service still keeps follow the answer.
    SubscribeRequest.events	Names or patterns such as `scan.*`; everything but `statistics` when missing. Added to what was subscribed before.
    SyncProgressRequest	Reports the progress of synchronization.
    SyncProgressRequest.progress	The share that is done. From 0 to 1.
    SyncProgressRequest.request	The number of the request.
    SyncRetryRequest	Synchronizes once more, after an error or for a user who is signed in.
    SyncStatus	How synchronizing goes.
    SyncStatus.progress	The share that is done, from 0 to 1, where it is known.
    SyncStatus.state	`running`, `connectionError`, `userError`.
    SyncStatus.text	The integrator's program's own words about it.
    SyncStatus.user	The user who has to act first, with `userError`.
    TextAccepted	A text was taken: it was stable over frames, or somebody chose it. The session is over.
    TextAccepted.automatic	True if it was taken without anybody's choice.
    TextAccepted.confidence	How sure the reading is, 0…1.
    TextAccepted.corners	Where it stood: four [x, y] in pixels of the frame; missing for observers.
    TextAccepted.pattern	The name of the pattern that it satisfies; missing for observers.
    TextAccepted.redacted	True where the text was left out.
    TextAccepted.session	The session.
    TextAccepted.text	The text; missing for observers.
    TextBegan	A session began to read text.
    TextBegan.text	The session.
    TextBeginRequest	Begins to read text; in place of the session before, if that is the same client's.
    TextBeginRequest.camera	The camera, by its name; the first one when missing.
    TextBeginRequest.languages	The languages of the text, as Tesseract names its models; the configured ones when missing.
    TextBeginRequest.patterns	The patterns to accept; when missing, every line is a candidate and none is taken by itself. From 0 to 16 entries.
    TextBeginRequest.region	x, y, width, height as shares of the frame: where text is looked for; all of it when missing.
    TextBeginRequest.timeout	Seconds after which it ends; never when missing. More than 0, at most 86400.
    TextCancelRequest	Ends reading text.
    TextCancelRequest.session	The session; the one that reads when missing.
    TextCandidate	A text in view that may be taken.
    TextCandidate.confidence	How sure the reading is, 0…1.
    TextCandidate.corners	Four [x, y] in pixels of the frame, clockwise from the top left of the upright line.
    TextCandidate.doubtful	True if somebody must look before it is taken.
    TextCandidate.others	The other possible texts; every one satisfies the pattern.
    TextCandidate.pattern	The name of the pattern that it satisfies; `text` where none was asked for.
    TextCandidate.text	The text; the lines of a machine-readable zone are apart by a line feed.
    TextCandidates	The texts that may be taken in a frame.
    TextCandidates.candidates	The candidates, the surest first; missing for observers.
    TextCandidates.lines	How many lines of text are in view.
    TextCandidates.session	The session.
    TextCandidates.skipped	How many more lines were not read, because a frame is read for at most 1.5 seconds; missing for none.
    TextChooseRequest	Accepts one of the reported candidates.
    TextChooseRequest.session	The session; the one that reads when missing.
    TextChooseRequest.text	The text of a candidate, or one of its `others`.
    TextEnded	The session is over.
    TextEnded.by	The client that ended it.
    TextEnded.reason	Why.
    TextEnded.session	The session.
    TextEnding	Why a session that reads text ended.
    TextEnding.accepted	A text was taken.
    TextEnding.cancelled	Its client ended it.
    TextEnding.disconnected	Its client left.
    TextEnding.replaced	Its client began another one.
    TextEnding.stopping	The service stops.
    TextEnding.timedOut	Its time was over.
    TextFailed	A frame could not be read; the session goes on.
    TextFailed.code	A stable camelCase word: `textEngineMissing`, `textLanguageMissing`, `textEngineFailed`.
    TextFailed.hint	The remedy.
    TextFailed.message	The message.
    TextFailed.session	The session.
    TextPatternRequest	A description of texts to accept: the name of a pattern, a regular expression, or conditions of which all that are set must hold. On the wire a word stands for a name or an expression, an object for a description.
    TextPatternRequest.alphabet	The characters that it may have.
    TextPatternRequest.check	Its check digit: luhn, mod97-10, mod11-2, mod37-36, gtin, vin, iban.
    TextPatternRequest.expression	A regular expression for the whole text.
    TextPatternRequest.kind	date, number or mrz.
    TextPatternRequest.length	How many characters it has, spaces and hyphens apart: one number, or the least and the most.
    TextPatternRequest.name	The name; alone: the name of a known pattern, or a regular expression.
    TextSession	A session that reads text.
    TextSession.by	The client that holds it.
    TextSession.camera	The camera whose frames are read, where there are several.
    TextSession.languages	The languages of the text, as Tesseract names its models.
    TextSession.patterns	The names of the patterns; missing for observers.
    TextSession.region	x, y, width, height as shares of the frame; missing: all of it.
    TextSession.session	Its id.
    TorchRequest	Switches the camera's light.
    TorchRequest.camera	The camera, by its name; the first one when missing.
    TorchRequest.on	On or off.
    TorchResult	The light.
    TorchResult.on	On or off.
    TrackingMethod	How well an anchor is known at this moment.
    TrackingMethod.fullTracking	It is seen in this frame.
    TrackingMethod.lastKnownPose	It was seen a moment ago; its pose stands.
    TrackingMethod.notTracking	Nothing is known.
    UnsubscribeRequest	Asks for events no more.
    UnsubscribeRequest.events	Patterns that were subscribed; all when missing.
    UnsubscribeResult	The events that stay subscribed.
    UnsubscribeResult.events	The patterns that stay.
    UnsuccessfulReason	Why nothing acceptable was read.
    UnsuccessfulReason.codeNotReadable	A code is there but cannot be read.
    UnsuccessfulReason.incomplete	A part of a structured append.
    UnsuccessfulReason.notQR	Only codes of another symbology.
    UnsuccessfulReason.nothingFound	No code.
    WorkerStatistics	The processes that read codes and pictures, since the start.
    WorkerStatistics.crashes	How many ended by themselves.
    WorkerStatistics.failures	How often which failure lost one, by its code: `workerCrashed`, `workerHung`, …; nil when there was none.
    WorkerStatistics.hangs	How many were ended because they did not answer.
    WorkerStatistics.lost	Frames and pictures that were lost with one, or while none was to be had.
    WorkerStatistics.starts	How many were started.
    """#
}
