"""The messages of the protocol as dataclasses. Written by Clients/generate from the schema of the protocol. Do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

PROTOCOL = 1
"""The version of the protocol."""


class Message:
    """A value of the protocol. Members of newer versions are left out."""

    __slots__ = ()


@dataclass(kw_only=True, slots=True)
class AccountListResult(Message):
    """The users."""

    users: list[AccountSummary]
    """By name; those whose onboarding is not over last."""
    damaged: list[str] | None = None
    """The ids of users whose files are damaged; missing where there are none. `account.remove` deletes what is left of
    them.
    """


@dataclass(kw_only=True, slots=True)
class AccountPerson(Message):
    """The visible data of a user."""

    id: str | None = None
    """The service's own name for them, which says nothing of who it is; missing for one who is not on this device."""
    title: str | None = None
    """The name."""
    subtitle: str | None = None
    """The line below it."""
    initials: str | None = None
    """Letters in the place of a picture."""


@dataclass(kw_only=True, slots=True)
class AccountPolicyResult(Message):
    """The texts and rules of the screens. A text is an object of texts by language."""

    mode: str
    """`single`, `shared`, or `off` where nothing is configured."""
    language: str | None = None
    """The language that counts where a text lacks the wanted one."""
    modules: list[str]
    """The steps of onboarding."""
    words: Any
    """`title` and `text` by screen, where they are not the page's own."""
    logos: list[str]
    """Ids of pictures for `media.resource`, the first above the others."""
    links: Any
    """Legal links: a list of {`title`, `url`}."""
    terms: Any = None
    """The terms that must be agreed to."""
    demo: bool
    """True if the device can be tried out."""
    activation: list[str]
    """The ways of activation."""
    fields: Any
    """The fields of the credentials: a list of {`name`, `label`, `kind`}."""
    consents: Any
    """A list of {`id`, `version`, `mandatory`, `pages` [{`title`, `text`, `more`}]}."""
    passcode: Any
    """The rules: `minimum`, `maximum`, `numeric`, `digit`, `lower`, `upper`, `symbol`, `tries`."""
    shown: list[str]
    """The parts of users that are shown before they have signed in."""


@dataclass(kw_only=True, slots=True)
class AccountRemoved(Message):
    """A user was removed, with all that was kept of them."""

    event: ClassVar[str] = "account.removed"
    """The name of the event."""
    user: str
    """The service's name for them."""
    by: Actor | None = None
    """The client that removed them."""


@dataclass(kw_only=True, slots=True)
class AccountState(Message):
    """Where the device and its users are."""

    event: ClassVar[str] = "account.state"
    """The name of the event."""
    phase: Literal["off", "welcome", "activation", "credentials", "consents", "passcode", "ready", "signIn", "users", "sync", "signedIn", "demo"]
    """The phase shown."""
    purpose: Literal["first", "add", "recover", "renew"] | None = None
    """Why, where a step belongs to more than one way."""
    method: str | None = None
    """The way of activation that was chosen."""
    repeats: bool | None = None
    """True if the passcode is to be repeated."""
    consent: ConsentStep | None = None
    """The consent that is asked for."""
    working: str | None = None
    """The work under way: `provider`, `passcode`, `storing`."""
    problem: AccountTrouble | None = None
    """The reason why the last step failed."""
    user: AccountPerson | None = None
    """The user whose turn it is. Before they have signed in it holds no more than the policy shows."""
    wait: float | None = None
    """Seconds until the next passcode may be tried."""
    can_recover: bool | None = field(default=None, metadata={"wire": "canRecover"})
    """True if a forgotten passcode can be reset."""
    sync: SyncStatus | None = None
    """How synchronizing goes."""
    synced: str | None = None
    """When the data of the user who is signed in was last synchronized: RFC 3339, UTC."""
    choices: list[ConsentEntry] | None = None
    """The last choice of the user who is signed in about each consent that the policy names."""
    provider: bool
    """True if the integrator's program is there."""


@dataclass(kw_only=True, slots=True)
class AccountSummary(Message):
    """All that is known of a user but their secrets."""

    id: str
    """The service's name for them."""
    subject: str | None = None
    """Their name in the integrator's system."""
    title: str
    """Their name."""
    subtitle: str | None = None
    """The line below it."""
    host: str | None = None
    """Where their data is."""
    created: str
    """When their onboarding began: RFC 3339, UTC."""
    ready: bool
    """True if it is over."""
    failures: int
    """Wrong passcodes in a row."""
    wait: float
    """Seconds until the next may be tried."""
    consents: int
    """How many choices are kept."""


@dataclass(kw_only=True, slots=True)
class AccountTrouble(Message):
    """The reason why a step failed."""

    code: str
    """A stable camelCase word."""
    text: str | None = None
    """The integrator's program's own words about it."""


@dataclass(kw_only=True, slots=True)
class AccountUsersResult(Message):
    """The users who can sign in."""

    users: list[AccountPerson]
    """By name."""
    selected: str | None = None
    """The user who is selected."""


@dataclass(kw_only=True, slots=True)
class Actor(Message):
    """The client that did something: the device has one session that many clients see."""

    client: int
    """The number of the connection, unique in a run of the service."""
    user: int | None = None
    """The user id of its process."""


@dataclass(kw_only=True, slots=True)
class AnchorCodeContent(Message):
    """The content of a code that is an anchor."""

    symbology: str
    """The symbology."""
    text: str | None = None
    """Its content as text; missing when redacted."""
    redacted: bool | None = None
    """True where something was left out for an observer."""


@dataclass(kw_only=True, slots=True)
class AnchorCodeDescription(Message):
    """Which code an anchor is; one of `text`, `prefix`, `pattern` and `identifier` says what it says."""

    text: str | None = None
    """Exactly this."""
    prefix: str | None = None
    """It begins with this."""
    pattern: str | None = None
    """A regular expression for the whole text."""
    identifier: str | None = None
    """The GS1 application identifier of an element string that it has."""
    value: str | None = None
    """The value of that element string; any value where it is missing."""
    symbologies: list[str] | None = None
    """The symbologies that it may have; missing: those that the service reads."""
    redacted: bool | None = None
    """True where what it says was left out for an observer."""


@dataclass(kw_only=True, slots=True)
class AnchorDescription(Message):
    """An anchor of a scene."""

    anchor: str
    """Its name."""
    resource: str | None = None
    """The id of its picture, for `media.resource`. Of an anchor that is a code it shows where to look, and may be
    missing.
    """
    width: int | None = None
    """Width of the reference in pixels, its long side scaled to 480."""
    height: int | None = None
    """Height of the reference in pixels, its long side scaled to 480."""
    code: AnchorCodeDescription | None = None
    """The code that it is; missing where it is the picture."""
    physical_width: float | None = field(default=None, metadata={"wire": "physicalWidth"})
    """Width of the real picture, or of the code without its quiet zone, in metres, where known."""
    radius: float | None = None
    """The radius in metres of the upright cylinder that the picture is wrapped round; missing where it is flat."""
    copies: int | None = None
    """How many copies of it are followed at once; missing: one."""
    annotate: Literal["nearest", "each"] | None = None
    """Which of several copies its annotations hang on; missing where one is followed."""
    annotations: list[AnnotationDescription]
    """The annotations on it."""


@dataclass(kw_only=True, slots=True)
class AnchorFound(Message):
    """An anchor has come into view."""

    event: ClassVar[str] = "anchor.found"
    """The name of the event."""
    anchor: str
    """Its name."""
    copy: int | None = None
    """Which copy of it, where several are allowed: a number that this one keeps as long as it is followed and that no
    other has while the service runs.
    """
    corners: list[list[float]]
    """Its corners, in pixels."""
    pose: PoseValue | None = None
    """Where it is; null where no physical width is known."""
    score: float
    """How sure the engine is, 0 to 1."""
    code: AnchorCodeContent | None = None
    """The content of the code that was found; missing where the anchor is a picture."""
    ambiguous: list[str] | None = None
    """Where it is not proven that it is this anchor: the other anchors of the scene that it may be as well; empty: a
    part of what is in sight contradicts its picture, because something covers it or it is a picture that looks
    alike. Missing once it is proven.
    """


@dataclass(kw_only=True, slots=True)
class AnchorLost(Message):
    """An anchor has been out of view for a while."""

    event: ClassVar[str] = "anchor.lost"
    """The name of the event."""
    anchor: str
    """Its name."""
    copy: int | None = None
    """Which copy of it, where several are allowed."""
    last_seen: float = field(metadata={"wire": "lastSeen"})
    """When it was last seen: seconds of `CLOCK_MONOTONIC`."""


@dataclass(kw_only=True, slots=True)
class AnchorTracking(Message):
    """An anchor in a frame."""

    anchor: str
    """Its name."""
    copy: int | None = None
    """Which copy of it, where several are allowed, as in `anchor.found`."""
    tracking_method: Literal["fullTracking", "lastKnownPose", "notTracking"] = field(metadata={"wire": "trackingMethod"})
    """How well it is known."""
    corners: list[list[float]]
    """Where the corners of the reference lie: from its top left clockwise, each x, y in pixels of the frame. Of a
    round anchor those of the part that is turned to the camera.
    """
    outline: list[list[float]] | None = None
    """Of a round anchor: the outline of the part that is turned to the camera, clockwise from the top left, each x, y;
    missing of a flat one, whose outline the corners are.
    """
    homography: list[float]
    """Nine numbers, row-major: reference pixels to frame pixels. Of a round anchor they hold around the middle of what
    is in sight.
    """
    pose: PoseValue | None = None
    """Smoothed; null where no physical width is known."""
    raw_pose: PoseValue | None = field(default=None, metadata={"wire": "rawPose"})
    """Not smoothed; null where no physical width is known."""
    score: float | None = None
    """How sure the engine is, 0 to 1."""
    ambiguous: list[str] | None = None
    """As in `anchor.found`; missing once it is proven that it is this anchor."""
    markers: list[MarkerTracking]
    """The annotations on it. Where several copies are allowed, those of the nearest one or of each, as the scene says."""


@dataclass(kw_only=True, slots=True)
class AnchorsUpdated(Message):
    """Where everything is that is followed; one a frame."""

    event: ClassVar[str] = "anchors.updated"
    """The name of the event."""
    anchors: list[AnchorTracking]
    """The anchors."""
    intrinsics: Intrinsics | None = None
    """The camera's intrinsics that the poses were computed with."""


@dataclass(kw_only=True, slots=True)
class AnnotationCleared(Message):
    """No annotation has the focus any more."""

    event: ClassVar[str] = "annotation.cleared"
    """The name of the event."""
    id: str | None = None
    """The annotation that had it."""
    by: Actor | None = None
    """The client that cleared it."""


@dataclass(kw_only=True, slots=True)
class AnnotationDescription(Message):
    """A marker and its card."""

    id: str
    """Its id, unique in the scene."""
    position: list[float]
    """Metres in the anchor's frame: +x along its width, +y out of the picture, +z down its height."""
    icon: str | None = None
    """The name of the marker's icon."""
    card: Card
    """Its card."""
    business_object: Any = field(default=None, metadata={"wire": "businessObject"})
    """The integrator's data attached to it, as it is in the scene."""


@dataclass(kw_only=True, slots=True)
class AnnotationResult(Message):
    """The annotation that has the focus."""

    id: str | None = None
    """The annotation; null when none has it."""
    copy: int | None = None
    """The copy of its anchor at which it was selected; missing where one alone is followed, or none was meant."""
    open: bool
    """True if its card is open."""


@dataclass(kw_only=True, slots=True)
class AnnotationSelected(Message):
    """The focus moved to an annotation."""

    event: ClassVar[str] = "annotation.selected"
    """The name of the event."""
    id: str
    """The annotation."""
    copy: int | None = None
    """The copy of its anchor that was meant; missing where one alone is followed, or none was meant."""
    card: Card
    """Its card."""
    by: Actor | None = None
    """The client that selected it."""


@dataclass(kw_only=True, slots=True)
class ArmedScan(Message):
    """A scan that is armed."""

    scan: str
    """Its id."""
    mode: Literal["onboarding", "barcode"]
    """The purpose."""
    context: Any = None
    """The `context` of `scan.begin`."""
    by: Actor | None = None
    """The client that holds it; nobody when the service armed itself."""
    pending: ScanSuccessful | None = None
    """The verdict that waits for its confirmation."""


@dataclass(kw_only=True, slots=True)
class AuthenticationRequested(Message):
    """A request to the provider: sent to its connection alone."""

    event: ClassVar[str] = "authentication.requested"
    """The name of the event."""
    request: int
    """The number that `authentication.answer` takes."""
    kind: str
    """The kind of request: `activate`, `lookup`, `verify`, `recover`, `sync`."""
    timeout: float
    """Seconds for an answer; for `sync`, from one word about its progress to the next."""
    code: str | None = None
    """The code, link or e-mail address of the activation."""
    fields: Any = None
    """The fields that the person filled in, by the names of the policy's fields."""
    subject: str | None = None
    """Whom it is about."""
    host: str | None = None
    """The host that the activation led to."""


@dataclass(kw_only=True, slots=True)
class AuthenticationWithdrawn(Message):
    """A request needs no reply any more: sent to the integrator's program alone."""

    event: ClassVar[str] = "authentication.withdrawn"
    """The name of the event."""
    request: int
    """Which."""


@dataclass(kw_only=True, slots=True)
class CameraControlDescription(Message):
    """A control of a camera."""

    name: str
    """Its name for `camera.control`."""
    value: int | None = None
    """The present value."""
    minimum: int
    """The least value."""
    maximum: int
    """The greatest value."""
    step: int
    """The step between values."""
    default_value: int | None = field(default=None, metadata={"wire": "defaultValue"})
    """The value that the driver starts with."""


@dataclass(kw_only=True, slots=True)
class CameraControlResult(Message):
    """The value of the control after the change."""

    name: str
    """The control."""
    value: float
    """The value that the driver made of it."""


@dataclass(kw_only=True, slots=True)
class CameraDescription(Message):
    """A camera that is plugged in."""

    id: str
    """Its stable identity, for `camera.select`."""
    name: str
    """The device's own name."""
    device: str
    """Its device node now."""
    selected: bool
    """True if the service uses it."""
    formats: list[CameraFormat]
    """The formats that it can send."""
    controls: list[CameraControlDescription]
    """The controls that can be set."""
    torch: bool
    """True if it has a light that can be switched."""
    camera: str | None = None
    """The name of the configured camera that it is, where there are several."""


@dataclass(kw_only=True, slots=True)
class CameraFormat(Message):
    """A pixel format and size of a camera."""

    format: str
    """Its four-character code."""
    width: int
    """Width in pixels."""
    height: int
    """Height in pixels."""
    rates: list[float]
    """Frames a second that it offers."""


@dataclass(kw_only=True, slots=True)
class CameraIntrinsicsFound(Message):
    """The focal length of a camera without a calibration was found from what was followed in it, or more exactly than
    before. Poses are computed with it from when nothing is followed.
    """

    event: ClassVar[str] = "camera.intrinsics"
    """The name of the event."""
    device: str | None = None
    """Which camera, as `camera.status` tells it."""
    width: int
    """Width of the frames in pixels."""
    height: int
    """Height of the frames in pixels."""
    intrinsics: Intrinsics
    """The camera's geometry."""
    deviation: float
    """The standard deviation of the focal length, as a share of it."""
    views: int
    """How many views it comes from."""


@dataclass(kw_only=True, slots=True)
class CameraListResult(Message):
    """The cameras."""

    cameras: list[CameraDescription]
    """The cameras that are plugged in."""


@dataclass(kw_only=True, slots=True)
class CameraOverview(Message):
    """One of several cameras, and the work in it."""

    name: str
    """Its name, as in `camera` of requests and events."""
    camera: CameraStatus
    """Its state."""
    scanner: ScannerStatus
    """The scanner of its frames."""
    scan: ArmedScan | None = None
    """The scan that is armed in it."""
    codes: list[CodeFound] | None = None
    """Codes that are followed in it; missing where nobody has codes followed, and in `status`."""
    count: CountState | None = None
    """The count in it; missing where nobody has codes counted, and in `status`."""


@dataclass(kw_only=True, slots=True)
class CameraSelectResult(Message):
    """The camera that is used."""

    id: str
    """Its identity."""


@dataclass(kw_only=True, slots=True)
class CameraStatistics(Message):
    """The frames and lanes of one of several cameras."""

    name: str
    """Its name."""
    frames: FrameStatistics
    """Frames since the start."""
    lanes: list[LaneStatistics]
    """The lanes."""


@dataclass(kw_only=True, slots=True)
class CameraStatus(Message):
    """The state of the camera."""

    event: ClassVar[str] = "camera.status"
    """The name of the event."""
    status: Literal["closed", "opened", "streaming", "stalled", "lost", "back"]
    """Its state."""
    device: str | None = None
    """Which camera."""
    format: str | None = None
    """The pixel format it sends."""
    width: int | None = None
    """Width in pixels."""
    height: int | None = None
    """Height in pixels."""
    rate: float | None = None
    """Frames a second."""
    code: str | None = None
    """Why it is not available."""
    message: str | None = None
    """The message."""
    hint: str | None = None
    """The remedy."""


@dataclass(kw_only=True, slots=True)
class Card(Message):
    """The contents of a card."""

    title: str
    """Its title."""
    description: str | None = None
    """Its text."""
    image: str | None = None
    """The id of its picture, for `media.resource`."""
    action_text: str | None = field(default=None, metadata={"wire": "actionText"})
    """The label of its button."""
    action_type: Literal["link", "video", "phone", "custom"] | None = field(default=None, metadata={"wire": "actionType"})
    """The action of the button."""
    action_data: str | None = field(default=None, metadata={"wire": "actionData"})
    """The data of the button's action: an address, a number, anything."""
    language: str | None = None
    """The language of its words (BCP 47), where the scene names it."""


@dataclass(kw_only=True, slots=True)
class CardAction(Message):
    """The button of a card was pressed; the client that shows the card does what it says."""

    event: ClassVar[str] = "card.action"
    """The name of the event."""
    id: str
    """The annotation."""
    copy: int | None = None
    """The copy of its anchor that was meant; missing where one alone is followed, or none was meant."""
    action_type: Literal["link", "video", "phone", "custom"] = field(metadata={"wire": "actionType"})
    """The kind of action."""
    action_data: str | None = field(default=None, metadata={"wire": "actionData"})
    """The data of the action."""
    business_object: Any = field(default=None, metadata={"wire": "businessObject"})
    """The integrator's own data."""
    by: Actor | None = None
    """The client that pressed it."""


@dataclass(kw_only=True, slots=True)
class CardActionResult(Message):
    """The action of the button."""

    id: str
    """The annotation."""
    copy: int | None = None
    """The copy of its anchor that was meant; missing where one alone is followed, or none was meant."""
    action_type: Literal["link", "video", "phone", "custom"] = field(metadata={"wire": "actionType"})
    """The kind of action."""
    action_data: str | None = field(default=None, metadata={"wire": "actionData"})
    """The data of the action."""
    business_object: Any = field(default=None, metadata={"wire": "businessObject"})
    """The integrator's own data."""


@dataclass(kw_only=True, slots=True)
class CardClosed(Message):
    """The detail panel of a card closed."""

    event: ClassVar[str] = "card.closed"
    """The name of the event."""
    id: str
    """The annotation."""
    by: Actor | None = None
    """The client that closed it."""


@dataclass(kw_only=True, slots=True)
class CardOpened(Message):
    """The detail panel of a card opened."""

    event: ClassVar[str] = "card.opened"
    """The name of the event."""
    id: str
    """The annotation."""
    copy: int | None = None
    """The copy of its anchor that was meant; missing where one alone is followed, or none was meant."""
    card: Card | None = None
    """Its card."""
    by: Actor | None = None
    """The client that opened it."""


@dataclass(kw_only=True, slots=True)
class CodeFound(Message):
    """A code is known and followed from now on."""

    event: ClassVar[str] = "code.found"
    """The name of the event."""
    code: int
    """Its number: counts up; a code that comes back after `code.lost` has a new one."""
    symbology: str
    """The symbology."""
    text: str | None = None
    """Its content as text; missing when redacted."""
    bytes_base64: str | None = field(default=None, metadata={"wire": "bytesBase64"})
    """Its content's bytes; missing when redacted."""
    charset: str | None = None
    """How the bytes became text."""
    part: MessagePart | None = None
    """Which part of a message it carries, where it is one of several codes; missing when redacted."""
    corners: list[list[float]]
    """Corners of the upright code from its top left clockwise, in pixels."""
    pose: PoseValue | None = None
    """Where it is; null where its printed size is not known."""
    redacted: bool | None = None
    """True where something was left out for an observer."""


@dataclass(kw_only=True, slots=True)
class CodeLost(Message):
    """A code has been out of view for a while, or something else stands in its place."""

    event: ClassVar[str] = "code.lost"
    """The name of the event."""
    code: int
    """Its number."""
    last_seen: float = field(metadata={"wire": "lastSeen"})
    """When it was last seen: seconds of `CLOCK_MONOTONIC`."""


@dataclass(kw_only=True, slots=True)
class CodeSize(Message):
    """How large some codes are printed."""

    symbology: str | None = None
    """Only codes of this symbology."""
    prefix: str | None = None
    """Only codes whose text begins so."""
    width: float
    """The width of the symbol in metres, its quiet zone left out. More than 0, at most 10."""


@dataclass(kw_only=True, slots=True)
class CodeTracking(Message):
    """A code in a frame."""

    code: int
    """Its number."""
    tracking_method: Literal["fullTracking", "lastKnownPose", "notTracking"] = field(metadata={"wire": "trackingMethod"})
    """How its place was come by."""
    corners: list[list[float]]
    """Corners of the upright code from its top left clockwise, in pixels; not smoothed."""
    pose: PoseValue | None = None
    """Smoothed; null where its printed size is not known."""
    raw_pose: PoseValue | None = field(default=None, metadata={"wire": "rawPose"})
    """Not smoothed; null where its printed size is not known."""
    score: float
    """How alike the frame and the code's picture are, 0 to 1."""
    counted: bool | None = None
    """True where codes are counted and this one was; missing otherwise."""


@dataclass(kw_only=True, slots=True)
class CodesUpdated(Message):
    """Where every code is that is followed; one a frame."""

    event: ClassVar[str] = "codes.updated"
    """The name of the event."""
    codes: list[CodeTracking]
    """The codes, by their numbers."""
    intrinsics: Intrinsics | None = None
    """The camera's intrinsics that the poses were computed with."""


@dataclass(kw_only=True, slots=True)
class ConfigReloadResult(Message):
    """The configuration was taken over."""

    restart: list[str]
    """Sections that changed and need a restart."""


@dataclass(kw_only=True, slots=True)
class ConnectionClosed(Message):
    """The last line before the service closes this connection on its own."""

    event: ClassVar[str] = "connection.closed"
    """The name of the event."""
    reason: Literal["slowConsumer", "lineTooLong", "bodyTimeout", "roleChanged", "notPermitted", "tooManyClients", "stopping"]
    """Why."""


@dataclass(kw_only=True, slots=True)
class ConsentEntry(Message):
    """One choice, as it is kept."""

    consent: str
    """The consent."""
    version: str
    """Its version."""
    hash: str
    """SHA-256 of what was shown: docs/accounts.md."""
    language: str
    """The language it was shown in."""
    choice: str
    """`allow`, `deny`, `later`."""
    time: str
    """When: RFC 3339, UTC."""


@dataclass(kw_only=True, slots=True)
class ConsentExportEntry(Message):
    """The choices of one user."""

    user: str
    """The service's name for them."""
    subject: str | None = None
    """Their name in the integrator's system."""
    title: str
    """Their name."""
    records: list[ConsentEntry]
    """Oldest first."""


@dataclass(kw_only=True, slots=True)
class ConsentExportResult(Message):
    """Choices by user."""

    users: list[ConsentExportEntry]
    """By name."""


@dataclass(kw_only=True, slots=True)
class ConsentRecorded(Message):
    """A choice was written down."""

    event: ClassVar[str] = "consent.recorded"
    """The name of the event."""
    user: str
    """The user who chose."""
    record: ConsentEntry
    """The choice, and what it was about."""


@dataclass(kw_only=True, slots=True)
class ConsentStep(Message):
    """Which consent is asked for, and which of its screens is shown."""

    id: str
    """Its id."""
    page: int
    """Its screen, counted from 0."""
    pages: int
    """How many screens it has; the choice is on the last."""


@dataclass(kw_only=True, slots=True)
class Conventions(Message):
    """How numbers are meant, for the reader of a log; clients need not parse it."""

    units: str
    """Units."""
    pixels: str
    """The frame of pixel coordinates."""
    code_corners: str = field(metadata={"wire": "codeCorners"})
    """The order of a code's corners."""
    anchor_corners: str = field(metadata={"wire": "anchorCorners"})
    """The order of an anchor's corners."""
    anchor_reference_long_side: int = field(metadata={"wire": "anchorReferenceLongSide"})
    """The long side to which references are scaled, in pixels."""
    homography: str
    """How it is to be read."""
    camera_frame: str = field(metadata={"wire": "cameraFrame"})
    """The camera's frame."""
    anchor_frame: str = field(metadata={"wire": "anchorFrame"})
    """The anchor's frame."""
    matrix: str
    """How it is to be read."""


@dataclass(kw_only=True, slots=True)
class CountEnded(Message):
    """The count is over."""

    event: ClassVar[str] = "count.ended"
    """The name of the event."""
    count: str
    """The count."""
    reason: Literal["ended", "disconnected", "stopping"]
    """Why."""


@dataclass(kw_only=True, slots=True)
class CountState(Message):
    """Everything that was counted; told when it changes, at most five times a second."""

    event: ClassVar[str] = "count.changed"
    """The name of the event."""
    count: str
    """The count: the same until it is over."""
    total: int
    """How many codes, copies and all."""
    views: int
    """How many frames were looked at."""
    stretches: int
    """The stretches between which the camera's position was lost: where there are several, copies may count twice."""
    codes: list[CountedArticle]
    """The different codes, in the order in which they began to count; at most 500."""
    full: bool | None = None
    """True where more was seen than is counted: at most 1024 copies of 500 different codes."""


@dataclass(kw_only=True, slots=True)
class CountedArticle(Message):
    """A code and how often it was counted."""

    symbology: str
    """The symbology."""
    text: str | None = None
    """Its content; missing where it may hold a secret, such as the password of a network or the data of an onboarding,
    or takes more than 160 bytes, and for observers where it is not known to be harmless.
    """
    name: str | None = None
    """The name under which a person may be shown it: the content where that may be the number of an article, missing
    for addresses, data of programs and secrets.
    """
    amount: int
    """How many copies there are."""


@dataclass(kw_only=True, slots=True)
class DocumentCaptured(Message):
    """A page was captured and written down."""

    event: ClassVar[str] = "document.captured"
    """The name of the event."""
    session: str
    """The session."""
    page: DocumentPage | None = None
    """The page; missing for observers."""
    count: int
    """How many pages there are now."""
    automatic: bool
    """True if it was captured by itself."""
    replaced: bool | None = None
    """True if it took another one's place."""
    others: list[list[list[float]]] | None = None
    """The corners of further pages in the same picture, three at most, likeliest first; missing where there are none,
    and for observers.
    """


@dataclass(kw_only=True, slots=True)
class DocumentChanged(Message):
    """The session or its pages changed otherwise."""

    event: ClassVar[str] = "document.changed"
    """The name of the event."""
    document: DocumentSession
    """As it is now."""


@dataclass(kw_only=True, slots=True)
class DocumentEnded(Message):
    """The session is over, or no client holds it any longer."""

    event: ClassVar[str] = "document.ended"
    """The name of the event."""
    session: str
    """The session."""
    reason: Literal["saved", "discarded", "ended", "disconnected", "expired", "stopping"]
    """Why."""
    count: int
    """Pages that are kept for the next client."""
    by: Actor | None = None
    """The client that ended it."""


@dataclass(kw_only=True, slots=True)
class DocumentFailed(Message):
    """A page could not be captured or kept; the session goes on with what it has."""

    event: ClassVar[str] = "document.failed"
    """The name of the event."""
    session: str
    """The session."""
    code: str
    """A stable camelCase word: `noSpace`, `tooManyPages`, `badPicture`, `notWritten`."""
    message: str
    """The message."""
    hint: str
    """The remedy."""


@dataclass(kw_only=True, slots=True)
class DocumentOutline(Message):
    """Where the page is in a frame, and how far capturing it has come."""

    event: ClassVar[str] = "document.outline"
    """The name of the event."""
    session: str
    """The session."""
    phase: Literal["searching", "found", "holding", "waiting"]
    """How far it has come."""
    corners: list[list[float]] | None = None
    """Four [x, y] in pixels of the frame, clockwise from the page's top left; missing while no page is in view."""
    score: float | None = None
    """How likely it is a page, 0…1."""
    progress: float | None = None
    """How much of the time of holding still is over, 0…1, while it is held."""
    advice: str | None = None
    """The advice to a person."""


@dataclass(kw_only=True, slots=True)
class DocumentPage(Message):
    """A page of the session."""

    id: str
    """Its id."""
    revision: int
    """Rises with every change: what was drawn of it before is old."""
    width: int
    """Of the picture that it was captured in, in pixels."""
    height: int
    """Of the picture that it was captured in, in pixels."""
    corners: list[list[float]] | None = None
    """Where it is in that picture: four [x, y] clockwise from its top left; the whole picture when missing."""
    format: str | None = None
    """`A4`, `Letter`, `ID-1` or `receipt`, where its shape says so."""
    filter: Literal["colour", "grayscale", "bw", "photo"]
    """The filter for it."""
    rotation: int
    """Degrees that it is turned by, clockwise."""
    captured: str
    """When it was captured: RFC 3339, UTC."""


@dataclass(kw_only=True, slots=True)
class DocumentSaved(Message):
    """The pages are saved."""

    event: ClassVar[str] = "document.saved"
    """The name of the event."""
    session: str
    """The session, which is over."""
    format: Literal["pdf", "jpeg", "png"]
    """The format that they were saved in."""
    pages: int
    """How many."""
    paths: list[str] | None = None
    """The files; missing for observers."""
    by: Actor | None = None
    """The client that saved them."""


@dataclass(kw_only=True, slots=True)
class DocumentSession(Message):
    """The session: the pages that were captured and not yet saved."""

    session: str
    """Its id: the same after a restart."""
    mode: Literal["automatic", "manual", "paused"]
    """True if pages are captured by themselves."""
    filter: Literal["colour", "grayscale", "bw", "photo"]
    """The filter for new pages."""
    count: int
    """How many pages there are."""
    pages: list[DocumentPage] | None = None
    """The pages in their order; missing for observers."""
    removed: list[str] | None = None
    """Ids of pages that were taken out and can be brought back."""
    retake: str | None = None
    """The page whose place the next capture takes."""
    by: Actor | None = None
    """The client that holds it; nobody when its client has left."""
    camera: str | None = None
    """The camera that captures, where there are several."""


@dataclass(kw_only=True, slots=True)
class EventPosition(Message):
    """The last event that a client has received."""

    instance: str
    """The run of the service that counts."""
    seq: int
    """The last event that the client has."""


@dataclass(kw_only=True, slots=True)
class FormAcknowledgeResult(Message):
    """A form was forgotten."""

    pending: int
    """How many still wait."""


@dataclass(kw_only=True, slots=True)
class FormField(Message):
    """A field of a form and what was filled in."""

    name: str
    """Its name: a word of the integrator's. From 1 to 128 bytes."""
    label: str | None = None
    """The label that the person saw beside it."""
    value: str
    """The whole text that was filled in."""


@dataclass(kw_only=True, slots=True)
class FormPendingResult(Message):
    """Pending forms."""

    forms: list[FormSubmitted]
    """The forms, as their events told of them."""
    more: bool
    """True if there are more: ask again with the last id as `after`."""


@dataclass(kw_only=True, slots=True)
class FormSubmitResult(Message):
    """The form is stored until a client acknowledges it."""

    id: str
    """Its id."""
    submitted: str
    """When it was taken in: RFC 3339, UTC, milliseconds."""


@dataclass(kw_only=True, slots=True)
class FormSubmitted(Message):
    """A person has filled in a form and sent it."""

    event: ClassVar[str] = "form.submitted"
    """The name of the event."""
    id: str
    """Its id, for `form.acknowledge`."""
    form: str
    """Which form it is."""
    submitted: str
    """When it was taken in: RFC 3339, UTC, milliseconds."""
    fields: list[FormField] | None = None
    """The fields that were filled in; operators alone see them."""
    key: str | None = None
    """The client's own name for this submission."""
    context: Any = None
    """The `context` of `form.submit`."""
    by: Actor | None = None
    """The client that sent it."""


@dataclass(kw_only=True, slots=True)
class FrameReference(Message):
    """The frame that an event was born of."""

    sequence: int
    """The service's own count of frames; keeps rising when the camera is opened again."""
    captured: float
    """When it was captured: seconds of `CLOCK_MONOTONIC`."""
    width: int
    """Width in pixels, after the configured rotation."""
    height: int
    """Height in pixels, after the configured rotation."""
    source: Literal["camera", "stream", "folder", "picture"]
    """The kind of source that the frame comes from."""


@dataclass(kw_only=True, slots=True)
class FrameStatistics(Message):
    """Frames since the start."""

    captured: int
    """Frames that arrived."""
    bad: int
    """Damaged frames that were skipped."""
    lost: int
    """Frames lost between driver and slot."""
    stages: list[StageStatistics] | None = None
    """Where their time went before the lanes: `driver` (from the capture to our hands), `luma`."""


@dataclass(kw_only=True, slots=True)
class GalleryListResult(Message):
    """Pictures."""

    pictures: list[GalleryPicture]
    """The pictures."""
    next: str | None = None
    """The value of `after` for more; missing at the end."""


@dataclass(kw_only=True, slots=True)
class GalleryPicture(Message):
    """A picture in one of the configured folders."""

    id: str
    """Its id: opaque, never a path, valid as long as the file stays."""
    name: str
    """The name of the file, for people."""
    size: int
    """Bytes of the file."""
    modified: str
    """When it was last changed: RFC 3339, UTC."""


@dataclass(kw_only=True, slots=True)
class GalleryScanResult(Message):
    """The codes read."""

    scan: str
    """The scan that it was: a successful onboarding waits for its confirmation."""
    outcome: Literal["successful", "invalid", "unsuccessful"]
    """The outcome."""
    successful: list[ScanSuccessful] | None = None
    """Accepted codes."""
    invalid: ScanInvalid | None = None
    """The refusal."""
    unsuccessful: ScanUnsuccessful | None = None
    """Why nothing came of it."""


@dataclass(kw_only=True, slots=True)
class Hello(Message):
    """The first line on every connection."""

    event: ClassVar[str] = "hello"
    """The name of the event."""
    protocol: int
    """The version of the protocol."""
    server: str
    """Always `waymark`."""
    version: str
    """The version of the service."""
    instance: str
    """Changes with every run of the service."""
    role: Literal["operator", "observer"]
    """The role of this connection."""
    client: int
    """The number of this connection, as `by.client` shows it in events."""
    features: list[str]
    """The features of this service beyond the plain protocol."""
    conventions: Conventions
    """How numbers are meant."""


@dataclass(kw_only=True, slots=True)
class Intrinsics(Message):
    """The camera's geometry that poses were computed with."""

    fx: float
    """Horizontal focal length in pixels."""
    fy: float
    """Vertical focal length in pixels."""
    cx: float
    """Horizontal place of the principal point in pixels."""
    cy: float
    """Vertical place of the principal point in pixels."""
    distortion: list[float]
    """k1, k2, p1, p2, k3 of the Brown–Conrady model."""
    source: Literal["calibrated", "estimated", "assumed"]
    """Where the numbers come from."""


@dataclass(kw_only=True, slots=True)
class LaneStatistics(Message):
    """A lane of the pipeline."""

    name: str
    """Its name."""
    frames: int
    """Frames it looked at since the start."""
    skipped: int
    """Frames it had no time for since the start."""
    p50: float
    """Median time a frame took lately, in seconds."""
    p99: float
    """99th percentile of it, in seconds."""
    stages: list[StageStatistics] | None = None
    """Where the time went: `wait` (from the capture to the lane), the lane's own stages, `deliver`, and `total` (from
    the capture until it was handed on).
    """


@dataclass(kw_only=True, slots=True)
class MarkerChanged(Message):
    """A marker becomes visible or not, selected or not."""

    event: ClassVar[str] = "marker.changed"
    """The name of the event."""
    id: str
    """The annotation."""
    copy: int | None = None
    """The copy of the anchor that it hangs on, where each copy has a marker of its own."""
    visible: bool
    """True if it is to be drawn."""
    selected: bool
    """True if it has the focus."""
    pulsing: bool
    """True if it pulses."""


@dataclass(kw_only=True, slots=True)
class MarkerTracking(Message):
    """A marker in a frame."""

    id: str
    """The annotation."""
    visible: bool
    """True if it is to be drawn."""
    selected: bool
    """True if it has the focus."""
    screen: list[float] | None = None
    """x, y in pixels of the frame; null when it lies behind the camera or nothing is known."""
    depth: float | None = None
    """Distance along the line of sight in metres; null when not known."""


@dataclass(kw_only=True, slots=True)
class MediaHeader(Message):
    """The line before a picture: `size` bytes follow it."""

    id: Any = None
    """The request that it answers."""
    frame: FrameReference | None = None
    """The frame it shows."""
    format: str
    """`jpeg`, `png`, `webp`, `bmp`, `gif` or `pnm`."""
    width: int
    """Width in pixels."""
    height: int
    """Height in pixels."""
    size: int
    """Bytes that follow."""
    camera: str | None = None
    """The camera that it is of, where there are several."""


@dataclass(kw_only=True, slots=True)
class MessagePart(Message):
    """The place of a code in a message that is spread over several (structured append, Macro PDF417)."""

    index: int
    """Its number, from 1."""
    count: int | None = None
    """How many codes carry the message; missing where only another of them tells."""
    id: str | None = None
    """The identifier that all parts of one message share, as the codes tell it; missing where they tell none."""


@dataclass(kw_only=True, slots=True)
class PingResult(Message):
    """The answer to a ping."""

    time: str
    """The service's clock: RFC 3339, UTC, milliseconds."""
    monotonic: float
    """`CLOCK_MONOTONIC` in seconds, the clock of `captured`."""


@dataclass(kw_only=True, slots=True)
class PoseValue(Message):
    """Where an anchor is: the map from the anchor's frame to the camera's (right-handed, +x right, +y up, looking
    along −z).
    """

    position: list[float]
    """x, y, z of the anchor's origin in the camera's frame, in metres."""
    orientation: list[float]
    """A unit quaternion x, y, z, w."""
    matrix: list[float]
    """The same as a 4×4 matrix of 16 numbers, column-major."""


@dataclass(kw_only=True, slots=True)
class ProfileDescription(Message):
    """A profile, and when it is in use by itself."""

    profile: str
    """Its name."""
    days: list[str] | None = None
    """The days of the week on which it is in use, `mon` to `sun`; missing where all are."""
    times: list[str] | None = None
    """The times of day, such as `08:00-17:30`, in the time zone of the device; missing where all are."""
    codes: bool
    """True if codes choose it. They are not told: whoever has one may choose."""


@dataclass(kw_only=True, slots=True)
class ProfileListResult(Message):
    """The profiles of the configuration."""

    profiles: list[ProfileDescription]
    """Each of them, in the order in which they are tried."""
    active: ProfileStatus
    """The one in use, as the last `profile.changed` told it."""


@dataclass(kw_only=True, slots=True)
class ProfileStatus(Message):
    """The profile in use, and why: another one than before."""

    event: ClassVar[str] = "profile.changed"
    """The name of the event."""
    profile: str | None = None
    """Its name; missing where the usual settings hold."""
    reason: Literal["none", "request", "code", "schedule"]
    """The reason why it is in use."""
    until: str | None = None
    """When a choice ends by itself: RFC 3339, UTC."""
    cues: list[str] | None = None
    """The cues that are signalled while it is in use; all where it names none."""
    by: Actor | None = None
    """The client that asked for it."""


@dataclass(kw_only=True, slots=True)
class RoleLowerResult(Message):
    """The role that a connection has now."""

    role: Literal["operator", "observer"]
    """The role."""


@dataclass(kw_only=True, slots=True)
class ScanBeginResult(Message):
    """The scan that is armed."""

    scan: str
    """Its id."""


@dataclass(kw_only=True, slots=True)
class ScanCancelled(Message):
    """The person left, or the scan ended otherwise."""

    event: ClassVar[str] = "scan.cancelled"
    """The name of the event."""
    scan: str
    """The scan it belongs to."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    reason: Literal["cancelled", "replaced", "disconnected", "timedOut", "stopping"]
    """Why."""
    by: Actor | None = None
    """The client that cancelled."""


@dataclass(kw_only=True, slots=True)
class ScanConfirmed(Message):
    """The person went on."""

    event: ClassVar[str] = "scan.confirmed"
    """The name of the event."""
    scan: str
    """The scan it belongs to."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    by: Actor | None = None
    """The client that confirmed."""


@dataclass(kw_only=True, slots=True)
class ScanEnded(Message):
    """An armed scan is over, however it ended: the last event of it."""

    event: ClassVar[str] = "scan.ended"
    """The name of the event."""
    scan: str
    """The scan."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    reason: Literal["confirmed", "once", "cancelled", "replaced", "disconnected", "timedOut", "stopping"]
    """How it ended."""
    by: Actor | None = None
    """The client that ended it, where one did."""


@dataclass(kw_only=True, slots=True)
class ScanGuide(Message):
    """An armed scan sees a code that it cannot read."""

    event: ClassVar[str] = "scan.guide"
    """The name of the event."""
    scan: str
    """The scan it belongs to."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    advice: Literal["tooSmall", "tooClose", "blurred", "cutOff", "tooDark", "tooBright"]
    """The advice that would help."""
    corners: list[list[float]] | None = None
    """Where the code is."""
    by: Actor | None = None
    """The owner of the scan; nobody when the service armed itself."""


@dataclass(kw_only=True, slots=True)
class ScanInvalid(Message):
    """A code was read; policy or signature refused it."""

    event: ClassVar[str] = "scan.invalid"
    """The name of the event."""
    scan: str
    """The scan it belongs to."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    reason: str
    """Why: the first check that failed."""
    kind: str | None = None
    """The kind of the payload."""
    corners: list[list[float]] | None = None
    """Corners of the code."""
    source: Literal["camera", "stream", "folder", "picture"]
    """Where it was seen."""
    picture: str | None = None
    """The picture of the gallery."""
    by: Actor | None = None
    """The owner of the scan; nobody when the service armed itself."""


@dataclass(kw_only=True, slots=True)
class ScanSuccessful(Message):
    """An accepted code."""

    event: ClassVar[str] = "scan.successful"
    """The name of the event."""
    scan: str
    """The scan it belongs to."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    kind: str | None = None
    """The kind of the payload; null in barcode mode."""
    symbology: str
    """The symbology."""
    text: str | None = None
    """The payload as text; missing when redacted."""
    bytes_base64: str | None = field(default=None, metadata={"wire": "bytesBase64"})
    """The payload's bytes; missing when redacted."""
    charset: str | None = None
    """How the bytes became text."""
    gs1: bool | None = None
    """True where the code declares that it holds GS1 element strings."""
    add_on: str | None = field(default=None, metadata={"wire": "addOn"})
    """The digits of the add-on beside a code of retail, where add-ons are asked for; missing when redacted."""
    part: MessagePart | None = None
    """Which part it is of a message that is spread over several codes, where not all of them were in view; missing
    when redacted.
    """
    corners: list[list[float]]
    """Corners of the upright code from its top left clockwise, in pixels."""
    connect_to: str | None = field(default=None, metadata={"wire": "connectTo"})
    """The host to show to the person before going on."""
    fields: Any = None
    """The fields of the payload, by name; missing when redacted."""
    source: Literal["camera", "stream", "folder", "picture"]
    """Where it was seen."""
    picture: str | None = None
    """The picture of the gallery."""
    by: Actor | None = None
    """The owner of the scan; nobody when the service armed itself."""
    redacted: bool | None = None
    """True where something was left out for an observer."""


@dataclass(kw_only=True, slots=True)
class ScanUnsuccessful(Message):
    """A still picture, or an armed scan that timed out, without an acceptable read."""

    event: ClassVar[str] = "scan.unsuccessful"
    """The name of the event."""
    scan: str
    """The scan it belongs to."""
    context: Any = None
    """The `context` of `scan.begin`, unread."""
    reason: Literal["nothingFound", "notQR", "incomplete", "codeNotReadable"]
    """Why."""
    missing: list[int] | None = None
    """The parts of a structured append that are missing, from 1 on."""
    corners: list[list[float]] | None = None
    """Corners of what could not be used."""
    source: Literal["camera", "stream", "folder", "picture"]
    """Where it was seen."""
    picture: str | None = None
    """The picture of the gallery."""
    by: Actor | None = None
    """The owner of the scan; nobody when the service armed itself."""


@dataclass(kw_only=True, slots=True)
class ScannerStatus(Message):
    """The state of the scanner."""

    event: ClassVar[str] = "scanner.status"
    """The name of the event."""
    status: Literal["idle", "ready", "scanning", "error"]
    """Its state."""
    scan: str | None = None
    """The armed scan."""
    mode: Literal["onboarding", "barcode"] | None = None
    """The mode of the armed scan."""
    by: Actor | None = None
    """The client that holds the armed scan; nobody when the service armed itself."""
    frames: int | None = None
    """Frames that the armed scan has looked at."""
    code: str | None = None
    """The error's code."""
    message: str | None = None
    """The message."""
    hint: str | None = None
    """The remedy."""


@dataclass(kw_only=True, slots=True)
class SceneDescription(Message):
    """A scene as clients see it."""

    scene: str
    """Its name for `scene.load`."""
    title: str | None = None
    """Its title for people."""
    anchors: list[AnchorDescription]
    """Its anchors."""
    camera: str | None = None
    """The camera in which it is followed, where there are several."""


@dataclass(kw_only=True, slots=True)
class SceneFailed(Message):
    """A scene cannot be used; the one before stays."""

    event: ClassVar[str] = "scene.failed"
    """The name of the event."""
    scene: str
    """Its name."""
    code: str
    """The error's code."""
    message: str
    """The message."""
    hint: str
    """The remedy."""
    problems: list[str]
    """Everything that is wrong with it."""


@dataclass(kw_only=True, slots=True)
class SceneListResult(Message):
    """The scenes."""

    scenes: list[SceneSummary]
    """The scenes in the configured folders."""


@dataclass(kw_only=True, slots=True)
class SceneLoadResult(Message):
    """The scene."""

    scene: str
    """Its name."""


@dataclass(kw_only=True, slots=True)
class SceneLoaded(Message):
    """A scene is in use."""

    event: ClassVar[str] = "scene.loaded"
    """The name of the event."""
    scene: SceneDescription
    """The scene."""


@dataclass(kw_only=True, slots=True)
class SceneProgress(Message):
    """A scene is being loaded; coalesces."""

    event: ClassVar[str] = "scene.progress"
    """The name of the event."""
    scene: str
    """Its name."""
    done: int
    """Anchors compiled."""
    total: int
    """Anchors in all."""


@dataclass(kw_only=True, slots=True)
class SceneSummary(Message):
    """A scene in short."""

    scene: str
    """Its name for `scene.load`."""
    title: str | None = None
    """Its title."""
    loaded: bool
    """True if it is in use."""


@dataclass(kw_only=True, slots=True)
class SceneUnloaded(Message):
    """No scene is in use any more."""

    event: ClassVar[str] = "scene.unloaded"
    """The name of the event."""
    scene: str
    """The scene that was."""
    by: Actor | None = None
    """The client that unloaded it."""


@dataclass(kw_only=True, slots=True)
class ServerStopping(Message):
    """The service stops."""

    event: ClassVar[str] = "server.stopping"
    """The name of the event."""
    reason: str
    """Why, for people."""


@dataclass(kw_only=True, slots=True)
class ServiceError(Message):
    """An error as it stands in a reply."""

    code: str
    """A stable camelCase word."""
    message: str
    """The fault, and the thing it happened to."""
    hint: str
    """The remedy."""
    holder: Actor | None = None
    """The client that holds the thing asked for, with the code `busy`."""


@dataclass(kw_only=True, slots=True)
class SessionGuide(Message):
    """The picture or code to look for."""

    anchor: str
    """The anchor."""
    resource: str | None = None
    """The id of its picture, for `media.resource`; missing for a code without one."""


@dataclass(kw_only=True, slots=True)
class SessionPhaseEvent(Message):
    """The AR session moved on."""

    event: ClassVar[str] = "session.phase"
    """The name of the event."""
    phase: Literal["inactive", "coaching", "scanning", "matched", "annotating"]
    """Where it is now."""
    primary_action: Literal["beginScan", "returnToScan"] | None = field(default=None, metadata={"wire": "primaryAction"})
    """The action of the coaching view's button."""
    guide: SessionGuide | None = None
    """The picture or code to look for."""
    scene: str | None = None
    """The scene."""
    instruction: str | None = None
    """The text of the coaching view."""
    by: Actor | None = None
    """The client that moved it, if one did."""


@dataclass(kw_only=True, slots=True)
class SessionResult(Message):
    """Where the session is."""

    phase: Literal["inactive", "coaching", "scanning", "matched", "annotating"]
    """The phase."""


@dataclass(kw_only=True, slots=True)
class SignatureListResult(Message):
    """The signatures that are kept."""

    signatures: list[SignatureSaved]
    """The signatures, as their events told of them."""
    more: bool
    """True if there are more: ask again with the last id as `after`."""


@dataclass(kw_only=True, slots=True)
class SignatureRemoveResult(Message):
    """A signature was forgotten."""

    kept: int
    """How many are kept still."""


@dataclass(kw_only=True, slots=True)
class SignatureSaveResult(Message):
    """The signature is kept."""

    id: str
    """Its id."""
    saved: str
    """When it was saved: RFC 3339, UTC, milliseconds."""
    hash: str
    """SHA-256 over strokes and words, in hexadecimal digits."""


@dataclass(kw_only=True, slots=True)
class SignatureSaved(Message):
    """A person has signed."""

    event: ClassVar[str] = "signature.saved"
    """The name of the event."""
    id: str
    """Its id, for `signature.get` and `signature.remove`."""
    saved: str
    """When it was saved: RFC 3339, UTC, milliseconds."""
    hash: str | None = None
    """SHA-256 over strokes and words, in hexadecimal digits; operators alone see it, and all that follows."""
    purpose: str | None = None
    """The purpose."""
    signer: str | None = None
    """The signer, where known."""
    key: str | None = None
    """The client's own name for it."""
    by: Actor | None = None
    """The client that sent it."""


@dataclass(kw_only=True, slots=True)
class Snapshot(Message):
    """The current state; events from the next `seq` on are its deltas."""

    seq: int
    """The last event before the snapshot."""
    instance: str
    """The run of the service."""
    events: list[str]
    """The patterns now subscribed."""
    unmatched: list[str] | None = None
    """Those of them that match no event that this service has: mistyped, or of a newer service."""
    replayed: int | None = None
    """How many earlier events follow this answer, where they were asked for."""
    missed: bool | None = None
    """True where some of those may be gone, because the service keeps no more or runs again."""
    scanner: ScannerStatus
    """The scanner."""
    camera: CameraStatus
    """The camera."""
    scan: ArmedScan | None = None
    """The armed scan."""
    session: SessionPhaseEvent | None = None
    """The AR session."""
    scene: SceneDescription | None = None
    """The scene in use."""
    anchors: list[AnchorFound]
    """Anchors in view."""
    markers: list[MarkerChanged]
    """Markers of anchors in view."""
    codes: list[CodeFound] | None = None
    """Codes that are followed; missing where nobody has codes followed."""
    count: CountState | None = None
    """The count; missing where nobody has codes counted."""
    annotation: AnnotationSelected | None = None
    """The annotation that has the focus."""
    card: CardOpened | None = None
    """The card that is open."""
    document: DocumentSession | None = None
    """The pages that were captured and not yet saved."""
    text: TextSession | None = None
    """The session that reads text."""
    account: AccountState | None = None
    """Where the device and its users are, where accounts are configured."""
    profile: ProfileStatus | None = None
    """The profile in use; missing where none are configured."""
    cameras: list[CameraOverview] | None = None
    """The cameras in the order of the configuration, where there are several; `scanner`, `camera`, `scan`, `codes` and
    `count` are of the first.
    """


@dataclass(kw_only=True, slots=True)
class StageStatistics(Message):
    """A stage on the way of a frame."""

    name: str
    """Its name."""
    frames: int
    """Frames that went through it since the start."""
    p50: float
    """Median of the recent times, in seconds."""
    p99: float
    """99th percentile of them, in seconds."""


@dataclass(kw_only=True, slots=True)
class Statistics(Message):
    """Figures of the running service; once a second to who asked for them by name."""

    event: ClassVar[str] = "statistics"
    """The name of the event."""
    uptime: float
    """Seconds since the start."""
    frames: FrameStatistics
    """Frames since the start."""
    lanes: list[LaneStatistics]
    """The lanes."""
    clients: int
    """Connections that are open."""
    events: int
    """Events published since the start."""
    dropped: int
    """Events that slow clients lost since the start."""
    memory: int
    """Resident memory in bytes."""
    cpu: float
    """Processor seconds used since the start."""
    workers: WorkerStatistics | None = None
    """The processes that read codes and pictures; nil when the service reads them itself."""
    cameras: list[CameraStatistics] | None = None
    """Frames and lanes of each camera, where there are several; `frames` and `lanes` are of the first."""


@dataclass(kw_only=True, slots=True)
class StatusResult(Message):
    """How the service is."""

    version: str
    """Its version."""
    instance: str
    """Its run."""
    started: str
    """When it started: RFC 3339, UTC."""
    socket: str
    """Where it listens."""
    scanner: ScannerStatus
    """The scanner."""
    camera: CameraStatus
    """The camera."""
    scan: ArmedScan | None = None
    """The armed scan."""
    text: TextSession | None = None
    """The session that reads text."""
    session: Literal["inactive", "coaching", "scanning", "matched", "annotating"] | None = None
    """The AR session's phase."""
    scene: str | None = None
    """The scene in use."""
    anchors: list[str]
    """Anchors in view."""
    intrinsics: Intrinsics | None = None
    """The camera's geometry."""
    statistics: Statistics
    """Figures."""
    cameras: list[CameraOverview] | None = None
    """The cameras in the order of the configuration, where there are several; `scanner`, `camera` and `scan` are of
    the first.
    """


@dataclass(kw_only=True, slots=True)
class StreamDropped(Message):
    """This connection was too slow and lost events."""

    event: ClassVar[str] = "stream.dropped"
    """The name of the event."""
    count: int
    """How many."""
    since_seq: int = field(metadata={"wire": "sinceSeq"})
    """The last event before the gap."""


@dataclass(kw_only=True, slots=True)
class SyncStatus(Message):
    """How synchronizing goes."""

    state: str
    """`running`, `connectionError`, `userError`."""
    progress: float | None = None
    """The share that is done, from 0 to 1, where it is known."""
    user: AccountPerson | None = None
    """The user who has to act first, with `userError`."""
    text: str | None = None
    """The integrator's program's own words about it."""


@dataclass(kw_only=True, slots=True)
class TextAccepted(Message):
    """A text was taken: it was stable over frames, or somebody chose it. The session is over."""

    event: ClassVar[str] = "text.accepted"
    """The name of the event."""
    session: str
    """The session."""
    text: str | None = None
    """The text; missing for observers."""
    pattern: str | None = None
    """The name of the pattern that it satisfies; missing for observers."""
    corners: list[list[float]] | None = None
    """Where it stood: four [x, y] in pixels of the frame; missing for observers."""
    confidence: float
    """How sure the reading is, 0…1."""
    automatic: bool
    """True if it was taken without anybody's choice."""
    redacted: bool | None = None
    """True where the text was left out."""


@dataclass(kw_only=True, slots=True)
class TextBegan(Message):
    """A session began to read text."""

    event: ClassVar[str] = "text.began"
    """The name of the event."""
    text: TextSession
    """The session."""


@dataclass(kw_only=True, slots=True)
class TextCandidate(Message):
    """A text in view that may be taken."""

    text: str
    """The text; the lines of a machine-readable zone are apart by a line feed."""
    pattern: str
    """The name of the pattern that it satisfies; `text` where none was asked for."""
    corners: list[list[float]]
    """Four [x, y] in pixels of the frame, clockwise from the top left of the upright line."""
    confidence: float
    """How sure the reading is, 0…1."""
    doubtful: bool
    """True if somebody must look before it is taken."""
    others: list[str] | None = None
    """The other possible texts; every one satisfies the pattern."""


@dataclass(kw_only=True, slots=True)
class TextCandidates(Message):
    """The texts that may be taken in a frame."""

    event: ClassVar[str] = "text.candidates"
    """The name of the event."""
    session: str
    """The session."""
    candidates: list[TextCandidate] | None = None
    """The candidates, the surest first; missing for observers."""
    lines: int
    """How many lines of text are in view."""
    skipped: int | None = None
    """How many more lines were not read, because a frame is read for at most 1.5 seconds; missing for none."""


@dataclass(kw_only=True, slots=True)
class TextEnded(Message):
    """The session is over."""

    event: ClassVar[str] = "text.ended"
    """The name of the event."""
    session: str
    """The session."""
    reason: Literal["accepted", "cancelled", "replaced", "timedOut", "disconnected", "stopping"]
    """Why."""
    by: Actor | None = None
    """The client that ended it."""


@dataclass(kw_only=True, slots=True)
class TextFailed(Message):
    """A frame could not be read; the session goes on."""

    event: ClassVar[str] = "text.failed"
    """The name of the event."""
    session: str
    """The session."""
    code: str
    """A stable camelCase word: `textEngineMissing`, `textLanguageMissing`, `textEngineFailed`."""
    message: str
    """The message."""
    hint: str
    """The remedy."""


@dataclass(kw_only=True, slots=True)
class TextPatternRequest(Message):
    """A description of texts to accept: the name of a pattern, a regular expression, or conditions of which all that
    are set must hold. On the wire a word stands for a name or an expression, an object for a description.
    """

    name: str | None = None
    """The name; alone: the name of a known pattern, or a regular expression."""
    expression: str | None = None
    """A regular expression for the whole text."""
    length: list[int] | None = None
    """How many characters it has, spaces and hyphens apart: one number, or the least and the most."""
    alphabet: str | None = None
    """The characters that it may have."""
    check: str | None = None
    """Its check digit: luhn, mod97-10, mod11-2, mod37-36, gtin, vin, iban."""
    kind: str | None = None
    """date, number or mrz."""


@dataclass(kw_only=True, slots=True)
class TextSession(Message):
    """A session that reads text."""

    session: str
    """Its id."""
    patterns: list[str] | None = None
    """The names of the patterns; missing for observers."""
    region: list[float] | None = None
    """x, y, width, height as shares of the frame; missing: all of it."""
    languages: list[str]
    """The languages of the text, as Tesseract names its models."""
    by: Actor | None = None
    """The client that holds it."""
    camera: str | None = None
    """The camera whose frames are read, where there are several."""


@dataclass(kw_only=True, slots=True)
class TorchResult(Message):
    """The light."""

    on: bool
    """On or off."""


@dataclass(kw_only=True, slots=True)
class UnsubscribeResult(Message):
    """The events that stay subscribed."""

    events: list[str]
    """The patterns that stay."""


@dataclass(kw_only=True, slots=True)
class WorkerStatistics(Message):
    """The processes that read codes and pictures, since the start."""

    starts: int
    """How many were started."""
    crashes: int
    """How many ended by themselves."""
    hangs: int
    """How many were ended because they did not answer."""
    lost: int
    """Frames and pictures that were lost with one, or while none was to be had."""
    failures: dict[str, int] | None = None
    """How often which failure lost one, by its code: `workerCrashed`, `workerHung`, …; nil when there was none."""


EVENTS: dict[str, type[Message]] = {
    "hello": Hello,
    "stream.dropped": StreamDropped,
    "connection.closed": ConnectionClosed,
    "authentication.requested": AuthenticationRequested,
    "authentication.withdrawn": AuthenticationWithdrawn,
    "scan.successful": ScanSuccessful,
    "scan.invalid": ScanInvalid,
    "scan.unsuccessful": ScanUnsuccessful,
    "scan.guide": ScanGuide,
    "scan.confirmed": ScanConfirmed,
    "scan.cancelled": ScanCancelled,
    "scan.ended": ScanEnded,
    "scanner.status": ScannerStatus,
    "camera.status": CameraStatus,
    "camera.intrinsics": CameraIntrinsicsFound,
    "profile.changed": ProfileStatus,
    "session.phase": SessionPhaseEvent,
    "anchor.found": AnchorFound,
    "anchor.lost": AnchorLost,
    "anchors.updated": AnchorsUpdated,
    "code.found": CodeFound,
    "code.lost": CodeLost,
    "codes.updated": CodesUpdated,
    "count.changed": CountState,
    "count.ended": CountEnded,
    "marker.changed": MarkerChanged,
    "annotation.selected": AnnotationSelected,
    "annotation.cleared": AnnotationCleared,
    "card.opened": CardOpened,
    "card.closed": CardClosed,
    "card.action": CardAction,
    "scene.loaded": SceneLoaded,
    "scene.unloaded": SceneUnloaded,
    "scene.progress": SceneProgress,
    "scene.failed": SceneFailed,
    "form.submitted": FormSubmitted,
    "signature.saved": SignatureSaved,
    "document.outline": DocumentOutline,
    "document.captured": DocumentCaptured,
    "document.changed": DocumentChanged,
    "document.failed": DocumentFailed,
    "document.saved": DocumentSaved,
    "document.ended": DocumentEnded,
    "text.began": TextBegan,
    "text.candidates": TextCandidates,
    "text.accepted": TextAccepted,
    "text.failed": TextFailed,
    "text.ended": TextEnded,
    "account.state": AccountState,
    "account.removed": AccountRemoved,
    "consent.recorded": ConsentRecorded,
    "statistics": Statistics,
    "server.stopping": ServerStopping,
}
"""The payload of each event by its name."""

ErrorCode = Literal[
    "badConfiguration",
    "badParams",
    "badPicture",
    "busy",
    "codeRefused",
    "full",
    "internalError",
    "lineTooLong",
    "malformedRequest",
    "noCamera",
    "noScan",
    "noScene",
    "noSession",
    "noSpace",
    "notConfigured",
    "notFound",
    "notPermitted",
    "notSupported",
    "nothingToConfirm",
    "passcodeRules",
    "replayed",
    "stopping",
    "textEngineMissing",
    "textLanguageMissing",
    "unknownMethod",
    "waiting",
    "wrongConnection",
    "wrongPhase",
]
"""The codes of error replies of this version; a newer service may have others."""
