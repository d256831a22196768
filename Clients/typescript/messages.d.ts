// Written by Clients/generate from the schema of the protocol. Do not edit.

/** The users. */
export interface AccountListResult {
  /** By name; those whose onboarding is not over last. */
  users: AccountSummary[];
  /**
   * The ids of users whose files are damaged; missing where there are none. `account.remove` deletes what is left
   * of them.
   */
  damaged?: string[] | null;
}

/** The visible data of a user. */
export interface AccountPerson {
  /** The service's own name for them, which says nothing of who it is; missing for one who is not on this device. */
  id?: string | null;
  /** The name. */
  title?: string | null;
  /** The line below it. */
  subtitle?: string | null;
  /** Letters in the place of a picture. */
  initials?: string | null;
}

/** The texts and rules of the screens. A text is an object of texts by language. */
export interface AccountPolicyResult {
  /** `single`, `shared`, or `off` where nothing is configured. */
  mode: string;
  /** The language that counts where a text lacks the wanted one. */
  language?: string | null;
  /** The steps of onboarding. */
  modules: string[];
  /** `title` and `text` by screen, where they are not the page's own. */
  words: unknown;
  /** Ids of pictures for `media.resource`, the first above the others. */
  logos: string[];
  /** Legal links: a list of {`title`, `url`}. */
  links: unknown;
  /** The terms that must be agreed to. */
  terms?: unknown;
  /** True if the device can be tried out. */
  demo: boolean;
  /** The ways of activation. */
  activation: string[];
  /** The fields of the credentials: a list of {`name`, `label`, `kind`}. */
  fields: unknown;
  /** A list of {`id`, `version`, `mandatory`, `pages` [{`title`, `text`, `more`}]}. */
  consents: unknown;
  /** The rules: `minimum`, `maximum`, `numeric`, `digit`, `lower`, `upper`, `symbol`, `tries`. */
  passcode: unknown;
  /** The parts of users that are shown before they have signed in. */
  shown: string[];
}

/** A user was removed, with all that was kept of them. */
export interface AccountRemoved {
  /** The service's name for them. */
  user: string;
  /** The client that removed them. */
  by?: Actor | null;
}

/** Where the device and its users are. */
export interface AccountState {
  /** The phase shown. */
  phase: "off" | "welcome" | "activation" | "credentials" | "consents" | "passcode" | "ready" | "signIn" | "users" | "sync" | "signedIn" | "demo";
  /** Why, where a step belongs to more than one way. */
  purpose?: "first" | "add" | "recover" | "renew" | null;
  /** The way of activation that was chosen. */
  method?: string | null;
  /** True if the passcode is to be repeated. */
  repeats?: boolean | null;
  /** The consent that is asked for. */
  consent?: ConsentStep | null;
  /** The work under way: `provider`, `passcode`, `storing`. */
  working?: string | null;
  /** The reason why the last step failed. */
  problem?: AccountTrouble | null;
  /** The user whose turn it is. Before they have signed in it holds no more than the policy shows. */
  user?: AccountPerson | null;
  /** Seconds until the next passcode may be tried. */
  wait?: number | null;
  /** True if a forgotten passcode can be reset. */
  canRecover?: boolean | null;
  /** How synchronizing goes. */
  sync?: SyncStatus | null;
  /** When the data of the user who is signed in was last synchronized: RFC 3339, UTC. */
  synced?: string | null;
  /** The last choice of the user who is signed in about each consent that the policy names. */
  choices?: ConsentEntry[] | null;
  /** True if the integrator's program is there. */
  provider: boolean;
}

/** All that is known of a user but their secrets. */
export interface AccountSummary {
  /** The service's name for them. */
  id: string;
  /** Their name in the integrator's system. */
  subject?: string | null;
  /** Their name. */
  title: string;
  /** The line below it. */
  subtitle?: string | null;
  /** Where their data is. */
  host?: string | null;
  /** When their onboarding began: RFC 3339, UTC. */
  created: string;
  /** True if it is over. */
  ready: boolean;
  /** Wrong passcodes in a row. */
  failures: number;
  /** Seconds until the next may be tried. */
  wait: number;
  /** How many choices are kept. */
  consents: number;
}

/** The reason why a step failed. */
export interface AccountTrouble {
  /** A stable camelCase word. */
  code: string;
  /** The integrator's program's own words about it. */
  text?: string | null;
}

/** The users who can sign in. */
export interface AccountUsersResult {
  /** By name. */
  users: AccountPerson[];
  /** The user who is selected. */
  selected?: string | null;
}

/** The client that did something: the device has one session that many clients see. */
export interface Actor {
  /** The number of the connection, unique in a run of the service. */
  client: number;
  /** The user id of its process. */
  user?: number | null;
}

/** The content of a code that is an anchor. */
export interface AnchorCodeContent {
  /** The symbology. */
  symbology: string;
  /** Its content as text; missing when redacted. */
  text?: string | null;
  /** True where something was left out for an observer. */
  redacted?: boolean | null;
}

/** Which code an anchor is; one of `text`, `prefix`, `pattern` and `identifier` says what it says. */
export interface AnchorCodeDescription {
  /** Exactly this. */
  text?: string | null;
  /** It begins with this. */
  prefix?: string | null;
  /** A regular expression for the whole text. */
  pattern?: string | null;
  /** The GS1 application identifier of an element string that it has. */
  identifier?: string | null;
  /** The value of that element string; any value where it is missing. */
  value?: string | null;
  /** The symbologies that it may have; missing: those that the service reads. */
  symbologies?: string[] | null;
  /** True where what it says was left out for an observer. */
  redacted?: boolean | null;
}

/** An anchor of a scene. */
export interface AnchorDescription {
  /** Its name. */
  anchor: string;
  /**
   * The id of its picture, for `media.resource`. Of an anchor that is a code it shows where to look, and may be
   * missing.
   */
  resource?: string | null;
  /** Width of the reference in pixels, its long side scaled to 480. */
  width?: number | null;
  /** Height of the reference in pixels, its long side scaled to 480. */
  height?: number | null;
  /** The code that it is; missing where it is the picture. */
  code?: AnchorCodeDescription | null;
  /** Width of the real picture, or of the code without its quiet zone, in metres, where known. */
  physicalWidth?: number | null;
  /** The radius in metres of the upright cylinder that the picture is wrapped round; missing where it is flat. */
  radius?: number | null;
  /** How many copies of it are followed at once; missing: one. */
  copies?: number | null;
  /** Which of several copies its annotations hang on; missing where one is followed. */
  annotate?: "nearest" | "each" | null;
  /** The annotations on it. */
  annotations: AnnotationDescription[];
}

/** An anchor has come into view. */
export interface AnchorFound {
  /** Its name. */
  anchor: string;
  /**
   * Which copy of it, where several are allowed: a number that this one keeps as long as it is followed and that no
   * other has while the service runs.
   */
  copy?: number | null;
  /** Its corners, in pixels. */
  corners: number[][];
  /** Where it is; null where no physical width is known. */
  pose?: PoseValue | null;
  /** How sure the engine is, 0 to 1. */
  score: number;
  /** The content of the code that was found; missing where the anchor is a picture. */
  code?: AnchorCodeContent | null;
  /**
   * Where it is not proven that it is this anchor: the other anchors of the scene that it may be as well; empty: a
   * part of what is in sight contradicts its picture, because something covers it or it is a picture that looks
   * alike. Missing once it is proven.
   */
  ambiguous?: string[] | null;
}

/** An anchor has been out of view for a while. */
export interface AnchorLost {
  /** Its name. */
  anchor: string;
  /** Which copy of it, where several are allowed. */
  copy?: number | null;
  /** When it was last seen: seconds of `CLOCK_MONOTONIC`. */
  lastSeen: number;
}

/** An anchor in a frame. */
export interface AnchorTracking {
  /** Its name. */
  anchor: string;
  /** Which copy of it, where several are allowed, as in `anchor.found`. */
  copy?: number | null;
  /** How well it is known. */
  trackingMethod: "fullTracking" | "lastKnownPose" | "notTracking";
  /**
   * Where the corners of the reference lie: from its top left clockwise, each x, y in pixels of the frame. Of a
   * round anchor those of the part that is turned to the camera.
   */
  corners: number[][];
  /**
   * Of a round anchor: the outline of the part that is turned to the camera, clockwise from the top left, each x,
   * y; missing of a flat one, whose outline the corners are.
   */
  outline?: number[][] | null;
  /**
   * Nine numbers, row-major: reference pixels to frame pixels. Of a round anchor they hold around the middle of
   * what is in sight.
   */
  homography: number[];
  /** Smoothed; null where no physical width is known. */
  pose?: PoseValue | null;
  /** Not smoothed; null where no physical width is known. */
  rawPose?: PoseValue | null;
  /** How sure the engine is, 0 to 1. */
  score?: number | null;
  /** As in `anchor.found`; missing once it is proven that it is this anchor. */
  ambiguous?: string[] | null;
  /**
   * The annotations on it. Where several copies are allowed, those of the nearest one or of each, as the scene
   * says.
   */
  markers: MarkerTracking[];
}

/** Where everything is that is followed; one a frame. */
export interface AnchorsUpdated {
  /** The anchors. */
  anchors: AnchorTracking[];
  /** The camera's intrinsics that the poses were computed with. */
  intrinsics?: Intrinsics | null;
}

/** No annotation has the focus any more. */
export interface AnnotationCleared {
  /** The annotation that had it. */
  id?: string | null;
  /** The client that cleared it. */
  by?: Actor | null;
}

/** A marker and its card. */
export interface AnnotationDescription {
  /** Its id, unique in the scene. */
  id: string;
  /** Metres in the anchor's frame: +x along its width, +y out of the picture, +z down its height. */
  position: number[];
  /** The name of the marker's icon. */
  icon?: string | null;
  /** Its card. */
  card: Card;
  /** The integrator's data attached to it, as it is in the scene. */
  businessObject?: unknown;
}

/** The annotation that has the focus. */
export interface AnnotationResult {
  /** The annotation; null when none has it. */
  id?: string | null;
  /** The copy of its anchor at which it was selected; missing where one alone is followed, or none was meant. */
  copy?: number | null;
  /** True if its card is open. */
  open: boolean;
}

/** The focus moved to an annotation. */
export interface AnnotationSelected {
  /** The annotation. */
  id: string;
  /** The copy of its anchor that was meant; missing where one alone is followed, or none was meant. */
  copy?: number | null;
  /** Its card. */
  card: Card;
  /** The client that selected it. */
  by?: Actor | null;
}

/** A scan that is armed. */
export interface ArmedScan {
  /** Its id. */
  scan: string;
  /** The purpose. */
  mode: "onboarding" | "barcode";
  /** The `context` of `scan.begin`. */
  context?: unknown;
  /** The client that holds it; nobody when the service armed itself. */
  by?: Actor | null;
  /** The verdict that waits for its confirmation. */
  pending?: ScanSuccessful | null;
}

/** A request to the provider: sent to its connection alone. */
export interface AuthenticationRequested {
  /** The number that `authentication.answer` takes. */
  request: number;
  /** The kind of request: `activate`, `lookup`, `verify`, `recover`, `sync`. */
  kind: string;
  /** Seconds for an answer; for `sync`, from one word about its progress to the next. */
  timeout: number;
  /** The code, link or e-mail address of the activation. */
  code?: string | null;
  /** The fields that the person filled in, by the names of the policy's fields. */
  fields?: unknown;
  /** Whom it is about. */
  subject?: string | null;
  /** The host that the activation led to. */
  host?: string | null;
}

/** A request needs no reply any more: sent to the integrator's program alone. */
export interface AuthenticationWithdrawn {
  /** Which. */
  request: number;
}

/** A control of a camera. */
export interface CameraControlDescription {
  /** Its name for `camera.control`. */
  name: string;
  /** The present value. */
  value?: number | null;
  /** The least value. */
  minimum: number;
  /** The greatest value. */
  maximum: number;
  /** The step between values. */
  step: number;
  /** The value that the driver starts with. */
  defaultValue?: number | null;
}

/** The value of the control after the change. */
export interface CameraControlResult {
  /** The control. */
  name: string;
  /** The value that the driver made of it. */
  value: number;
}

/** A camera that is plugged in. */
export interface CameraDescription {
  /** Its stable identity, for `camera.select`. */
  id: string;
  /** The device's own name. */
  name: string;
  /** Its device node now. */
  device: string;
  /** True if the service uses it. */
  selected: boolean;
  /** The formats that it can send. */
  formats: CameraFormat[];
  /** The controls that can be set. */
  controls: CameraControlDescription[];
  /** True if it has a light that can be switched. */
  torch: boolean;
  /** The name of the configured camera that it is, where there are several. */
  camera?: string | null;
}

/** A pixel format and size of a camera. */
export interface CameraFormat {
  /** Its four-character code. */
  format: string;
  /** Width in pixels. */
  width: number;
  /** Height in pixels. */
  height: number;
  /** Frames a second that it offers. */
  rates: number[];
}

/**
 * The focal length of a camera without a calibration was found from what was followed in it, or more exactly than
 * before. Poses are computed with it from when nothing is followed.
 */
export interface CameraIntrinsicsFound {
  /** Which camera, as `camera.status` tells it. */
  device?: string | null;
  /** Width of the frames in pixels. */
  width: number;
  /** Height of the frames in pixels. */
  height: number;
  /** The camera's geometry. */
  intrinsics: Intrinsics;
  /** The standard deviation of the focal length, as a share of it. */
  deviation: number;
  /** How many views it comes from. */
  views: number;
}

/** The cameras. */
export interface CameraListResult {
  /** The cameras that are plugged in. */
  cameras: CameraDescription[];
}

/** One of several cameras, and the work in it. */
export interface CameraOverview {
  /** Its name, as in `camera` of requests and events. */
  name: string;
  /** Its state. */
  camera: CameraStatus;
  /** The scanner of its frames. */
  scanner: ScannerStatus;
  /** The scan that is armed in it. */
  scan?: ArmedScan | null;
  /** Codes that are followed in it; missing where nobody has codes followed, and in `status`. */
  codes?: CodeFound[] | null;
  /** The count in it; missing where nobody has codes counted, and in `status`. */
  count?: CountState | null;
}

/** The camera that is used. */
export interface CameraSelectResult {
  /** Its identity. */
  id: string;
}

/** The frames and lanes of one of several cameras. */
export interface CameraStatistics {
  /** Its name. */
  name: string;
  /** Frames since the start. */
  frames: FrameStatistics;
  /** The lanes. */
  lanes: LaneStatistics[];
}

/** The state of the camera. */
export interface CameraStatus {
  /** Its state. */
  status: "closed" | "opened" | "streaming" | "stalled" | "lost" | "back";
  /** Which camera. */
  device?: string | null;
  /** The pixel format it sends. */
  format?: string | null;
  /** Width in pixels. */
  width?: number | null;
  /** Height in pixels. */
  height?: number | null;
  /** Frames a second. */
  rate?: number | null;
  /** Why it is not available. */
  code?: string | null;
  /** The message. */
  message?: string | null;
  /** The remedy. */
  hint?: string | null;
}

/** The contents of a card. */
export interface Card {
  /** Its title. */
  title: string;
  /** Its text. */
  description?: string | null;
  /** The id of its picture, for `media.resource`. */
  image?: string | null;
  /** The label of its button. */
  actionText?: string | null;
  /** The action of the button. */
  actionType?: "link" | "video" | "phone" | "custom" | null;
  /** The data of the button's action: an address, a number, anything. */
  actionData?: string | null;
  /** The language of its words (BCP 47), where the scene names it. */
  language?: string | null;
}

/** The button of a card was pressed; the client that shows the card does what it says. */
export interface CardAction {
  /** The annotation. */
  id: string;
  /** The copy of its anchor that was meant; missing where one alone is followed, or none was meant. */
  copy?: number | null;
  /** The kind of action. */
  actionType: "link" | "video" | "phone" | "custom";
  /** The data of the action. */
  actionData?: string | null;
  /** The integrator's own data. */
  businessObject?: unknown;
  /** The client that pressed it. */
  by?: Actor | null;
}

/** The action of the button. */
export interface CardActionResult {
  /** The annotation. */
  id: string;
  /** The copy of its anchor that was meant; missing where one alone is followed, or none was meant. */
  copy?: number | null;
  /** The kind of action. */
  actionType: "link" | "video" | "phone" | "custom";
  /** The data of the action. */
  actionData?: string | null;
  /** The integrator's own data. */
  businessObject?: unknown;
}

/** The detail panel of a card closed. */
export interface CardClosed {
  /** The annotation. */
  id: string;
  /** The client that closed it. */
  by?: Actor | null;
}

/** The detail panel of a card opened. */
export interface CardOpened {
  /** The annotation. */
  id: string;
  /** The copy of its anchor that was meant; missing where one alone is followed, or none was meant. */
  copy?: number | null;
  /** Its card. */
  card?: Card | null;
  /** The client that opened it. */
  by?: Actor | null;
}

/** A code is known and followed from now on. */
export interface CodeFound {
  /** Its number: counts up; a code that comes back after `code.lost` has a new one. */
  code: number;
  /** The symbology. */
  symbology: string;
  /** Its content as text; missing when redacted. */
  text?: string | null;
  /** Its content's bytes; missing when redacted. */
  bytesBase64?: string | null;
  /** How the bytes became text. */
  charset?: string | null;
  /** Which part of a message it carries, where it is one of several codes; missing when redacted. */
  part?: MessagePart | null;
  /** Corners of the upright code from its top left clockwise, in pixels. */
  corners: number[][];
  /** Where it is; null where its printed size is not known. */
  pose?: PoseValue | null;
  /** True where something was left out for an observer. */
  redacted?: boolean | null;
}

/** A code has been out of view for a while, or something else stands in its place. */
export interface CodeLost {
  /** Its number. */
  code: number;
  /** When it was last seen: seconds of `CLOCK_MONOTONIC`. */
  lastSeen: number;
}

/** How large some codes are printed. */
export interface CodeSize {
  /** Only codes of this symbology. */
  symbology?: string | null;
  /** Only codes whose text begins so. */
  prefix?: string | null;
  /** The width of the symbol in metres, its quiet zone left out. More than 0, at most 10. */
  width: number;
}

/** A code in a frame. */
export interface CodeTracking {
  /** Its number. */
  code: number;
  /** How its place was come by. */
  trackingMethod: "fullTracking" | "lastKnownPose" | "notTracking";
  /** Corners of the upright code from its top left clockwise, in pixels; not smoothed. */
  corners: number[][];
  /** Smoothed; null where its printed size is not known. */
  pose?: PoseValue | null;
  /** Not smoothed; null where its printed size is not known. */
  rawPose?: PoseValue | null;
  /** How alike the frame and the code's picture are, 0 to 1. */
  score: number;
  /** True where codes are counted and this one was; missing otherwise. */
  counted?: boolean | null;
}

/** Where every code is that is followed; one a frame. */
export interface CodesUpdated {
  /** The codes, by their numbers. */
  codes: CodeTracking[];
  /** The camera's intrinsics that the poses were computed with. */
  intrinsics?: Intrinsics | null;
}

/** The configuration was taken over. */
export interface ConfigReloadResult {
  /** Sections that changed and need a restart. */
  restart: string[];
}

/** The last line before the service closes this connection on its own. */
export interface ConnectionClosed {
  /** Why. */
  reason: "slowConsumer" | "lineTooLong" | "bodyTimeout" | "roleChanged" | "notPermitted" | "tooManyClients" | "stopping";
}

/** One choice, as it is kept. */
export interface ConsentEntry {
  /** The consent. */
  consent: string;
  /** Its version. */
  version: string;
  /** SHA-256 of what was shown: docs/accounts.md. */
  hash: string;
  /** The language it was shown in. */
  language: string;
  /** `allow`, `deny`, `later`. */
  choice: string;
  /** When: RFC 3339, UTC. */
  time: string;
}

/** The choices of one user. */
export interface ConsentExportEntry {
  /** The service's name for them. */
  user: string;
  /** Their name in the integrator's system. */
  subject?: string | null;
  /** Their name. */
  title: string;
  /** Oldest first. */
  records: ConsentEntry[];
}

/** Choices by user. */
export interface ConsentExportResult {
  /** By name. */
  users: ConsentExportEntry[];
}

/** A choice was written down. */
export interface ConsentRecorded {
  /** The user who chose. */
  user: string;
  /** The choice, and what it was about. */
  record: ConsentEntry;
}

/** Which consent is asked for, and which of its screens is shown. */
export interface ConsentStep {
  /** Its id. */
  id: string;
  /** Its screen, counted from 0. */
  page: number;
  /** How many screens it has; the choice is on the last. */
  pages: number;
}

/** How numbers are meant, for the reader of a log; clients need not parse it. */
export interface Conventions {
  /** Units. */
  units: string;
  /** The frame of pixel coordinates. */
  pixels: string;
  /** The order of a code's corners. */
  codeCorners: string;
  /** The order of an anchor's corners. */
  anchorCorners: string;
  /** The long side to which references are scaled, in pixels. */
  anchorReferenceLongSide: number;
  /** How it is to be read. */
  homography: string;
  /** The camera's frame. */
  cameraFrame: string;
  /** The anchor's frame. */
  anchorFrame: string;
  /** How it is to be read. */
  matrix: string;
}

/** The count is over. */
export interface CountEnded {
  /** The count. */
  count: string;
  /** Why. */
  reason: "ended" | "disconnected" | "stopping";
}

/** Everything that was counted; told when it changes, at most five times a second. */
export interface CountState {
  /** The count: the same until it is over. */
  count: string;
  /** How many codes, copies and all. */
  total: number;
  /** How many frames were looked at. */
  views: number;
  /** The stretches between which the camera's position was lost: where there are several, copies may count twice. */
  stretches: number;
  /** The different codes, in the order in which they began to count; at most 500. */
  codes: CountedArticle[];
  /** True where more was seen than is counted: at most 1024 copies of 500 different codes. */
  full?: boolean | null;
}

/** A code and how often it was counted. */
export interface CountedArticle {
  /** The symbology. */
  symbology: string;
  /**
   * Its content; missing where it may hold a secret, such as the password of a network or the data of an
   * onboarding, or takes more than 160 bytes, and for observers where it is not known to be harmless.
   */
  text?: string | null;
  /**
   * The name under which a person may be shown it: the content where that may be the number of an article, missing
   * for addresses, data of programs and secrets.
   */
  name?: string | null;
  /** How many copies there are. */
  amount: number;
}

/** A page was captured and written down. */
export interface DocumentCaptured {
  /** The session. */
  session: string;
  /** The page; missing for observers. */
  page?: DocumentPage | null;
  /** How many pages there are now. */
  count: number;
  /** True if it was captured by itself. */
  automatic: boolean;
  /** True if it took another one's place. */
  replaced?: boolean | null;
  /**
   * The corners of further pages in the same picture, three at most, likeliest first; missing where there are none,
   * and for observers.
   */
  others?: number[][][] | null;
}

/** The session or its pages changed otherwise. */
export interface DocumentChanged {
  /** As it is now. */
  document: DocumentSession;
}

/** The session is over, or no client holds it any longer. */
export interface DocumentEnded {
  /** The session. */
  session: string;
  /** Why. */
  reason: "saved" | "discarded" | "ended" | "disconnected" | "expired" | "stopping";
  /** Pages that are kept for the next client. */
  count: number;
  /** The client that ended it. */
  by?: Actor | null;
}

/** A page could not be captured or kept; the session goes on with what it has. */
export interface DocumentFailed {
  /** The session. */
  session: string;
  /** A stable camelCase word: `noSpace`, `tooManyPages`, `badPicture`, `notWritten`. */
  code: string;
  /** The message. */
  message: string;
  /** The remedy. */
  hint: string;
}

/** Where the page is in a frame, and how far capturing it has come. */
export interface DocumentOutline {
  /** The session. */
  session: string;
  /** How far it has come. */
  phase: "searching" | "found" | "holding" | "waiting";
  /** Four [x, y] in pixels of the frame, clockwise from the page's top left; missing while no page is in view. */
  corners?: number[][] | null;
  /** How likely it is a page, 0…1. */
  score?: number | null;
  /** How much of the time of holding still is over, 0…1, while it is held. */
  progress?: number | null;
  /** The advice to a person. */
  advice?: string | null;
}

/** A page of the session. */
export interface DocumentPage {
  /** Its id. */
  id: string;
  /** Rises with every change: what was drawn of it before is old. */
  revision: number;
  /** Of the picture that it was captured in, in pixels. */
  width: number;
  /** Of the picture that it was captured in, in pixels. */
  height: number;
  /** Where it is in that picture: four [x, y] clockwise from its top left; the whole picture when missing. */
  corners?: number[][] | null;
  /** `A4`, `Letter`, `ID-1` or `receipt`, where its shape says so. */
  format?: string | null;
  /** The filter for it. */
  filter: "colour" | "grayscale" | "bw" | "photo";
  /** Degrees that it is turned by, clockwise. */
  rotation: number;
  /** When it was captured: RFC 3339, UTC. */
  captured: string;
}

/** The pages are saved. */
export interface DocumentSaved {
  /** The session, which is over. */
  session: string;
  /** The format that they were saved in. */
  format: "pdf" | "jpeg" | "png";
  /** How many. */
  pages: number;
  /** The files; missing for observers. */
  paths?: string[] | null;
  /** The client that saved them. */
  by?: Actor | null;
}

/** The session: the pages that were captured and not yet saved. */
export interface DocumentSession {
  /** Its id: the same after a restart. */
  session: string;
  /** True if pages are captured by themselves. */
  mode: "automatic" | "manual" | "paused";
  /** The filter for new pages. */
  filter: "colour" | "grayscale" | "bw" | "photo";
  /** How many pages there are. */
  count: number;
  /** The pages in their order; missing for observers. */
  pages?: DocumentPage[] | null;
  /** Ids of pages that were taken out and can be brought back. */
  removed?: string[] | null;
  /** The page whose place the next capture takes. */
  retake?: string | null;
  /** The client that holds it; nobody when its client has left. */
  by?: Actor | null;
  /** The camera that captures, where there are several. */
  camera?: string | null;
}

/** The last event that a client has received. */
export interface EventPosition {
  /** The run of the service that counts. */
  instance: string;
  /** The last event that the client has. */
  seq: number;
}

/** A form was forgotten. */
export interface FormAcknowledgeResult {
  /** How many still wait. */
  pending: number;
}

/** A field of a form and what was filled in. */
export interface FormField {
  /** Its name: a word of the integrator's. From 1 to 128 bytes. */
  name: string;
  /** The label that the person saw beside it. */
  label?: string | null;
  /** The whole text that was filled in. */
  value: string;
}

/** Pending forms. */
export interface FormPendingResult {
  /** The forms, as their events told of them. */
  forms: FormSubmitted[];
  /** True if there are more: ask again with the last id as `after`. */
  more: boolean;
}

/** The form is stored until a client acknowledges it. */
export interface FormSubmitResult {
  /** Its id. */
  id: string;
  /** When it was taken in: RFC 3339, UTC, milliseconds. */
  submitted: string;
}

/** A person has filled in a form and sent it. */
export interface FormSubmitted {
  /** Its id, for `form.acknowledge`. */
  id: string;
  /** Which form it is. */
  form: string;
  /** When it was taken in: RFC 3339, UTC, milliseconds. */
  submitted: string;
  /** The fields that were filled in; operators alone see them. */
  fields?: FormField[] | null;
  /** The client's own name for this submission. */
  key?: string | null;
  /** The `context` of `form.submit`. */
  context?: unknown;
  /** The client that sent it. */
  by?: Actor | null;
}

/** The frame that an event was born of. */
export interface FrameReference {
  /** The service's own count of frames; keeps rising when the camera is opened again. */
  sequence: number;
  /** When it was captured: seconds of `CLOCK_MONOTONIC`. */
  captured: number;
  /** Width in pixels, after the configured rotation. */
  width: number;
  /** Height in pixels, after the configured rotation. */
  height: number;
  /** The kind of source that the frame comes from. */
  source: "camera" | "stream" | "folder" | "picture";
}

/** Frames since the start. */
export interface FrameStatistics {
  /** Frames that arrived. */
  captured: number;
  /** Damaged frames that were skipped. */
  bad: number;
  /** Frames lost between driver and slot. */
  lost: number;
  /** Where their time went before the lanes: `driver` (from the capture to our hands), `luma`. */
  stages?: StageStatistics[] | null;
}

/** Pictures. */
export interface GalleryListResult {
  /** The pictures. */
  pictures: GalleryPicture[];
  /** The value of `after` for more; missing at the end. */
  next?: string | null;
}

/** A picture in one of the configured folders. */
export interface GalleryPicture {
  /** Its id: opaque, never a path, valid as long as the file stays. */
  id: string;
  /** The name of the file, for people. */
  name: string;
  /** Bytes of the file. */
  size: number;
  /** When it was last changed: RFC 3339, UTC. */
  modified: string;
}

/** The codes read. */
export interface GalleryScanResult {
  /** The scan that it was: a successful onboarding waits for its confirmation. */
  scan: string;
  /** The outcome. */
  outcome: "successful" | "invalid" | "unsuccessful";
  /** Accepted codes. */
  successful?: ScanSuccessful[] | null;
  /** The refusal. */
  invalid?: ScanInvalid | null;
  /** Why nothing came of it. */
  unsuccessful?: ScanUnsuccessful | null;
}

/** The first line on every connection. */
export interface Hello {
  /** The version of the protocol. */
  protocol: number;
  /** Always `waymark`. */
  server: string;
  /** The version of the service. */
  version: string;
  /** Changes with every run of the service. */
  instance: string;
  /** The role of this connection. */
  role: "operator" | "observer";
  /** The number of this connection, as `by.client` shows it in events. */
  client: number;
  /** The features of this service beyond the plain protocol. */
  features: string[];
  /** How numbers are meant. */
  conventions: Conventions;
}

/** The camera's geometry that poses were computed with. */
export interface Intrinsics {
  /** Horizontal focal length in pixels. */
  fx: number;
  /** Vertical focal length in pixels. */
  fy: number;
  /** Horizontal place of the principal point in pixels. */
  cx: number;
  /** Vertical place of the principal point in pixels. */
  cy: number;
  /** k1, k2, p1, p2, k3 of the Brown–Conrady model. */
  distortion: number[];
  /** Where the numbers come from. */
  source: "calibrated" | "estimated" | "assumed";
}

/** A lane of the pipeline. */
export interface LaneStatistics {
  /** Its name. */
  name: string;
  /** Frames it looked at since the start. */
  frames: number;
  /** Frames it had no time for since the start. */
  skipped: number;
  /** Median time a frame took lately, in seconds. */
  p50: number;
  /** 99th percentile of it, in seconds. */
  p99: number;
  /**
   * Where the time went: `wait` (from the capture to the lane), the lane's own stages, `deliver`, and `total` (from
   * the capture until it was handed on).
   */
  stages?: StageStatistics[] | null;
}

/** A marker becomes visible or not, selected or not. */
export interface MarkerChanged {
  /** The annotation. */
  id: string;
  /** The copy of the anchor that it hangs on, where each copy has a marker of its own. */
  copy?: number | null;
  /** True if it is to be drawn. */
  visible: boolean;
  /** True if it has the focus. */
  selected: boolean;
  /** True if it pulses. */
  pulsing: boolean;
}

/** A marker in a frame. */
export interface MarkerTracking {
  /** The annotation. */
  id: string;
  /** True if it is to be drawn. */
  visible: boolean;
  /** True if it has the focus. */
  selected: boolean;
  /** x, y in pixels of the frame; null when it lies behind the camera or nothing is known. */
  screen?: number[] | null;
  /** Distance along the line of sight in metres; null when not known. */
  depth?: number | null;
}

/** The line before a picture: `size` bytes follow it. */
export interface MediaHeader {
  /** The request that it answers. */
  id?: unknown;
  /** The frame it shows. */
  frame?: FrameReference | null;
  /** `jpeg`, `png`, `webp`, `bmp`, `gif` or `pnm`. */
  format: string;
  /** Width in pixels. */
  width: number;
  /** Height in pixels. */
  height: number;
  /** Bytes that follow. */
  size: number;
  /** The camera that it is of, where there are several. */
  camera?: string | null;
}

/** The place of a code in a message that is spread over several (structured append, Macro PDF417). */
export interface MessagePart {
  /** Its number, from 1. */
  index: number;
  /** How many codes carry the message; missing where only another of them tells. */
  count?: number | null;
  /** The identifier that all parts of one message share, as the codes tell it; missing where they tell none. */
  id?: string | null;
}

/** The answer to a ping. */
export interface PingResult {
  /** The service's clock: RFC 3339, UTC, milliseconds. */
  time: string;
  /** `CLOCK_MONOTONIC` in seconds, the clock of `captured`. */
  monotonic: number;
}

/**
 * Where an anchor is: the map from the anchor's frame to the camera's (right-handed, +x right, +y up, looking along
 * −z).
 */
export interface PoseValue {
  /** x, y, z of the anchor's origin in the camera's frame, in metres. */
  position: number[];
  /** A unit quaternion x, y, z, w. */
  orientation: number[];
  /** The same as a 4×4 matrix of 16 numbers, column-major. */
  matrix: number[];
}

/** A profile, and when it is in use by itself. */
export interface ProfileDescription {
  /** Its name. */
  profile: string;
  /** The days of the week on which it is in use, `mon` to `sun`; missing where all are. */
  days?: string[] | null;
  /** The times of day, such as `08:00-17:30`, in the time zone of the device; missing where all are. */
  times?: string[] | null;
  /** True if codes choose it. They are not told: whoever has one may choose. */
  codes: boolean;
}

/** The profiles of the configuration. */
export interface ProfileListResult {
  /** Each of them, in the order in which they are tried. */
  profiles: ProfileDescription[];
  /** The one in use, as the last `profile.changed` told it. */
  active: ProfileStatus;
}

/** The profile in use, and why: another one than before. */
export interface ProfileStatus {
  /** Its name; missing where the usual settings hold. */
  profile?: string | null;
  /** The reason why it is in use. */
  reason: "none" | "request" | "code" | "schedule";
  /** When a choice ends by itself: RFC 3339, UTC. */
  until?: string | null;
  /** The cues that are signalled while it is in use; all where it names none. */
  cues?: string[] | null;
  /** The client that asked for it. */
  by?: Actor | null;
}

/** The role that a connection has now. */
export interface RoleLowerResult {
  /** The role. */
  role: "operator" | "observer";
}

/** The scan that is armed. */
export interface ScanBeginResult {
  /** Its id. */
  scan: string;
}

/** The person left, or the scan ended otherwise. */
export interface ScanCancelled {
  /** The scan it belongs to. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** Why. */
  reason: "cancelled" | "replaced" | "disconnected" | "timedOut" | "stopping";
  /** The client that cancelled. */
  by?: Actor | null;
}

/** The person went on. */
export interface ScanConfirmed {
  /** The scan it belongs to. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** The client that confirmed. */
  by?: Actor | null;
}

/** An armed scan is over, however it ended: the last event of it. */
export interface ScanEnded {
  /** The scan. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** How it ended. */
  reason: "confirmed" | "once" | "cancelled" | "replaced" | "disconnected" | "timedOut" | "stopping";
  /** The client that ended it, where one did. */
  by?: Actor | null;
}

/** An armed scan sees a code that it cannot read. */
export interface ScanGuide {
  /** The scan it belongs to. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** The advice that would help. */
  advice: "tooSmall" | "tooClose" | "blurred" | "cutOff" | "tooDark" | "tooBright";
  /** Where the code is. */
  corners?: number[][] | null;
  /** The owner of the scan; nobody when the service armed itself. */
  by?: Actor | null;
}

/** A code was read; policy or signature refused it. */
export interface ScanInvalid {
  /** The scan it belongs to. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** Why: the first check that failed. */
  reason: string;
  /** The kind of the payload. */
  kind?: string | null;
  /** Corners of the code. */
  corners?: number[][] | null;
  /** Where it was seen. */
  source: "camera" | "stream" | "folder" | "picture";
  /** The picture of the gallery. */
  picture?: string | null;
  /** The owner of the scan; nobody when the service armed itself. */
  by?: Actor | null;
}

/** An accepted code. */
export interface ScanSuccessful {
  /** The scan it belongs to. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** The kind of the payload; null in barcode mode. */
  kind?: string | null;
  /** The symbology. */
  symbology: string;
  /** The payload as text; missing when redacted. */
  text?: string | null;
  /** The payload's bytes; missing when redacted. */
  bytesBase64?: string | null;
  /** How the bytes became text. */
  charset?: string | null;
  /** True where the code declares that it holds GS1 element strings. */
  gs1?: boolean | null;
  /** The digits of the add-on beside a code of retail, where add-ons are asked for; missing when redacted. */
  addOn?: string | null;
  /**
   * Which part it is of a message that is spread over several codes, where not all of them were in view; missing
   * when redacted.
   */
  part?: MessagePart | null;
  /** Corners of the upright code from its top left clockwise, in pixels. */
  corners: number[][];
  /** The host to show to the person before going on. */
  connectTo?: string | null;
  /** The fields of the payload, by name; missing when redacted. */
  fields?: unknown;
  /** Where it was seen. */
  source: "camera" | "stream" | "folder" | "picture";
  /** The picture of the gallery. */
  picture?: string | null;
  /** The owner of the scan; nobody when the service armed itself. */
  by?: Actor | null;
  /** True where something was left out for an observer. */
  redacted?: boolean | null;
}

/** A still picture, or an armed scan that timed out, without an acceptable read. */
export interface ScanUnsuccessful {
  /** The scan it belongs to. */
  scan: string;
  /** The `context` of `scan.begin`, unread. */
  context?: unknown;
  /** Why. */
  reason: "nothingFound" | "notQR" | "incomplete" | "codeNotReadable";
  /** The parts of a structured append that are missing, from 1 on. */
  missing?: number[] | null;
  /** Corners of what could not be used. */
  corners?: number[][] | null;
  /** Where it was seen. */
  source: "camera" | "stream" | "folder" | "picture";
  /** The picture of the gallery. */
  picture?: string | null;
  /** The owner of the scan; nobody when the service armed itself. */
  by?: Actor | null;
}

/** The state of the scanner. */
export interface ScannerStatus {
  /** Its state. */
  status: "idle" | "ready" | "scanning" | "error";
  /** The armed scan. */
  scan?: string | null;
  /** The mode of the armed scan. */
  mode?: "onboarding" | "barcode" | null;
  /** The client that holds the armed scan; nobody when the service armed itself. */
  by?: Actor | null;
  /** Frames that the armed scan has looked at. */
  frames?: number | null;
  /** The error's code. */
  code?: string | null;
  /** The message. */
  message?: string | null;
  /** The remedy. */
  hint?: string | null;
}

/** A scene as clients see it. */
export interface SceneDescription {
  /** Its name for `scene.load`. */
  scene: string;
  /** Its title for people. */
  title?: string | null;
  /** Its anchors. */
  anchors: AnchorDescription[];
  /** The camera in which it is followed, where there are several. */
  camera?: string | null;
}

/** A scene cannot be used; the one before stays. */
export interface SceneFailed {
  /** Its name. */
  scene: string;
  /** The error's code. */
  code: string;
  /** The message. */
  message: string;
  /** The remedy. */
  hint: string;
  /** Everything that is wrong with it. */
  problems: string[];
}

/** The scenes. */
export interface SceneListResult {
  /** The scenes in the configured folders. */
  scenes: SceneSummary[];
}

/** The scene. */
export interface SceneLoadResult {
  /** Its name. */
  scene: string;
}

/** A scene is in use. */
export interface SceneLoaded {
  /** The scene. */
  scene: SceneDescription;
}

/** A scene is being loaded; coalesces. */
export interface SceneProgress {
  /** Its name. */
  scene: string;
  /** Anchors compiled. */
  done: number;
  /** Anchors in all. */
  total: number;
}

/** A scene in short. */
export interface SceneSummary {
  /** Its name for `scene.load`. */
  scene: string;
  /** Its title. */
  title?: string | null;
  /** True if it is in use. */
  loaded: boolean;
}

/** No scene is in use any more. */
export interface SceneUnloaded {
  /** The scene that was. */
  scene: string;
  /** The client that unloaded it. */
  by?: Actor | null;
}

/** The service stops. */
export interface ServerStopping {
  /** Why, for people. */
  reason: string;
}

/** An error as it stands in a reply. */
export interface ServiceError {
  /** A stable camelCase word. */
  code: string;
  /** The fault, and the thing it happened to. */
  message: string;
  /** The remedy. */
  hint: string;
  /** The client that holds the thing asked for, with the code `busy`. */
  holder?: Actor | null;
}

/** The picture or code to look for. */
export interface SessionGuide {
  /** The anchor. */
  anchor: string;
  /** The id of its picture, for `media.resource`; missing for a code without one. */
  resource?: string | null;
}

/** The AR session moved on. */
export interface SessionPhaseEvent {
  /** Where it is now. */
  phase: "inactive" | "coaching" | "scanning" | "matched" | "annotating";
  /** The action of the coaching view's button. */
  primaryAction?: "beginScan" | "returnToScan" | null;
  /** The picture or code to look for. */
  guide?: SessionGuide | null;
  /** The scene. */
  scene?: string | null;
  /** The text of the coaching view. */
  instruction?: string | null;
  /** The client that moved it, if one did. */
  by?: Actor | null;
}

/** Where the session is. */
export interface SessionResult {
  /** The phase. */
  phase: "inactive" | "coaching" | "scanning" | "matched" | "annotating";
}

/** The signatures that are kept. */
export interface SignatureListResult {
  /** The signatures, as their events told of them. */
  signatures: SignatureSaved[];
  /** True if there are more: ask again with the last id as `after`. */
  more: boolean;
}

/** A signature was forgotten. */
export interface SignatureRemoveResult {
  /** How many are kept still. */
  kept: number;
}

/** The signature is kept. */
export interface SignatureSaveResult {
  /** Its id. */
  id: string;
  /** When it was saved: RFC 3339, UTC, milliseconds. */
  saved: string;
  /** SHA-256 over strokes and words, in hexadecimal digits. */
  hash: string;
}

/** A person has signed. */
export interface SignatureSaved {
  /** Its id, for `signature.get` and `signature.remove`. */
  id: string;
  /** When it was saved: RFC 3339, UTC, milliseconds. */
  saved: string;
  /** SHA-256 over strokes and words, in hexadecimal digits; operators alone see it, and all that follows. */
  hash?: string | null;
  /** The purpose. */
  purpose?: string | null;
  /** The signer, where known. */
  signer?: string | null;
  /** The client's own name for it. */
  key?: string | null;
  /** The client that sent it. */
  by?: Actor | null;
}

/** The current state; events from the next `seq` on are its deltas. */
export interface Snapshot {
  /** The last event before the snapshot. */
  seq: number;
  /** The run of the service. */
  instance: string;
  /** The patterns now subscribed. */
  events: string[];
  /** Those of them that match no event that this service has: mistyped, or of a newer service. */
  unmatched?: string[] | null;
  /** How many earlier events follow this answer, where they were asked for. */
  replayed?: number | null;
  /** True where some of those may be gone, because the service keeps no more or runs again. */
  missed?: boolean | null;
  /** The scanner. */
  scanner: ScannerStatus;
  /** The camera. */
  camera: CameraStatus;
  /** The armed scan. */
  scan?: ArmedScan | null;
  /** The AR session. */
  session?: SessionPhaseEvent | null;
  /** The scene in use. */
  scene?: SceneDescription | null;
  /** Anchors in view. */
  anchors: AnchorFound[];
  /** Markers of anchors in view. */
  markers: MarkerChanged[];
  /** Codes that are followed; missing where nobody has codes followed. */
  codes?: CodeFound[] | null;
  /** The count; missing where nobody has codes counted. */
  count?: CountState | null;
  /** The annotation that has the focus. */
  annotation?: AnnotationSelected | null;
  /** The card that is open. */
  card?: CardOpened | null;
  /** The pages that were captured and not yet saved. */
  document?: DocumentSession | null;
  /** The session that reads text. */
  text?: TextSession | null;
  /** Where the device and its users are, where accounts are configured. */
  account?: AccountState | null;
  /** The profile in use; missing where none are configured. */
  profile?: ProfileStatus | null;
  /**
   * The cameras in the order of the configuration, where there are several; `scanner`, `camera`, `scan`, `codes`
   * and `count` are of the first.
   */
  cameras?: CameraOverview[] | null;
}

/** A stage on the way of a frame. */
export interface StageStatistics {
  /** Its name. */
  name: string;
  /** Frames that went through it since the start. */
  frames: number;
  /** Median of the recent times, in seconds. */
  p50: number;
  /** 99th percentile of them, in seconds. */
  p99: number;
}

/** Figures of the running service; once a second to who asked for them by name. */
export interface Statistics {
  /** Seconds since the start. */
  uptime: number;
  /** Frames since the start. */
  frames: FrameStatistics;
  /** The lanes. */
  lanes: LaneStatistics[];
  /** Connections that are open. */
  clients: number;
  /** Events published since the start. */
  events: number;
  /** Events that slow clients lost since the start. */
  dropped: number;
  /** Resident memory in bytes. */
  memory: number;
  /** Processor seconds used since the start. */
  cpu: number;
  /** The processes that read codes and pictures; nil when the service reads them itself. */
  workers?: WorkerStatistics | null;
  /** Frames and lanes of each camera, where there are several; `frames` and `lanes` are of the first. */
  cameras?: CameraStatistics[] | null;
}

/** How the service is. */
export interface StatusResult {
  /** Its version. */
  version: string;
  /** Its run. */
  instance: string;
  /** When it started: RFC 3339, UTC. */
  started: string;
  /** Where it listens. */
  socket: string;
  /** The scanner. */
  scanner: ScannerStatus;
  /** The camera. */
  camera: CameraStatus;
  /** The armed scan. */
  scan?: ArmedScan | null;
  /** The session that reads text. */
  text?: TextSession | null;
  /** The AR session's phase. */
  session?: "inactive" | "coaching" | "scanning" | "matched" | "annotating" | null;
  /** The scene in use. */
  scene?: string | null;
  /** Anchors in view. */
  anchors: string[];
  /** The camera's geometry. */
  intrinsics?: Intrinsics | null;
  /** Figures. */
  statistics: Statistics;
  /**
   * The cameras in the order of the configuration, where there are several; `scanner`, `camera` and `scan` are of
   * the first.
   */
  cameras?: CameraOverview[] | null;
}

/** This connection was too slow and lost events. */
export interface StreamDropped {
  /** How many. */
  count: number;
  /** The last event before the gap. */
  sinceSeq: number;
}

/** How synchronizing goes. */
export interface SyncStatus {
  /** `running`, `connectionError`, `userError`. */
  state: string;
  /** The share that is done, from 0 to 1, where it is known. */
  progress?: number | null;
  /** The user who has to act first, with `userError`. */
  user?: AccountPerson | null;
  /** The integrator's program's own words about it. */
  text?: string | null;
}

/** A text was taken: it was stable over frames, or somebody chose it. The session is over. */
export interface TextAccepted {
  /** The session. */
  session: string;
  /** The text; missing for observers. */
  text?: string | null;
  /** The name of the pattern that it satisfies; missing for observers. */
  pattern?: string | null;
  /** Where it stood: four [x, y] in pixels of the frame; missing for observers. */
  corners?: number[][] | null;
  /** How sure the reading is, 0…1. */
  confidence: number;
  /** True if it was taken without anybody's choice. */
  automatic: boolean;
  /** True where the text was left out. */
  redacted?: boolean | null;
}

/** A session began to read text. */
export interface TextBegan {
  /** The session. */
  text: TextSession;
}

/** A text in view that may be taken. */
export interface TextCandidate {
  /** The text; the lines of a machine-readable zone are apart by a line feed. */
  text: string;
  /** The name of the pattern that it satisfies; `text` where none was asked for. */
  pattern: string;
  /** Four [x, y] in pixels of the frame, clockwise from the top left of the upright line. */
  corners: number[][];
  /** How sure the reading is, 0…1. */
  confidence: number;
  /** True if somebody must look before it is taken. */
  doubtful: boolean;
  /** The other possible texts; every one satisfies the pattern. */
  others?: string[] | null;
}

/** The texts that may be taken in a frame. */
export interface TextCandidates {
  /** The session. */
  session: string;
  /** The candidates, the surest first; missing for observers. */
  candidates?: TextCandidate[] | null;
  /** How many lines of text are in view. */
  lines: number;
  /** How many more lines were not read, because a frame is read for at most 1.5 seconds; missing for none. */
  skipped?: number | null;
}

/** The session is over. */
export interface TextEnded {
  /** The session. */
  session: string;
  /** Why. */
  reason: "accepted" | "cancelled" | "replaced" | "timedOut" | "disconnected" | "stopping";
  /** The client that ended it. */
  by?: Actor | null;
}

/** A frame could not be read; the session goes on. */
export interface TextFailed {
  /** The session. */
  session: string;
  /** A stable camelCase word: `textEngineMissing`, `textLanguageMissing`, `textEngineFailed`. */
  code: string;
  /** The message. */
  message: string;
  /** The remedy. */
  hint: string;
}

/**
 * A description of texts to accept: the name of a pattern, a regular expression, or conditions of which all that
 * are set must hold. On the wire a word stands for a name or an expression, an object for a description.
 */
export interface TextPatternRequest {
  /** The name; alone: the name of a known pattern, or a regular expression. */
  name?: string | null;
  /** A regular expression for the whole text. */
  expression?: string | null;
  /** How many characters it has, spaces and hyphens apart: one number, or the least and the most. */
  length?: number[] | null;
  /** The characters that it may have. */
  alphabet?: string | null;
  /** Its check digit: luhn, mod97-10, mod11-2, mod37-36, gtin, vin, iban. */
  check?: string | null;
  /** date, number or mrz. */
  kind?: string | null;
}

/** A session that reads text. */
export interface TextSession {
  /** Its id. */
  session: string;
  /** The names of the patterns; missing for observers. */
  patterns?: string[] | null;
  /** x, y, width, height as shares of the frame; missing: all of it. */
  region?: number[] | null;
  /** The languages of the text, as Tesseract names its models. */
  languages: string[];
  /** The client that holds it. */
  by?: Actor | null;
  /** The camera whose frames are read, where there are several. */
  camera?: string | null;
}

/** The light. */
export interface TorchResult {
  /** On or off. */
  on: boolean;
}

/** The events that stay subscribed. */
export interface UnsubscribeResult {
  /** The patterns that stay. */
  events: string[];
}

/** The processes that read codes and pictures, since the start. */
export interface WorkerStatistics {
  /** How many were started. */
  starts: number;
  /** How many ended by themselves. */
  crashes: number;
  /** How many were ended because they did not answer. */
  hangs: number;
  /** Frames and pictures that were lost with one, or while none was to be had. */
  lost: number;
  /** How often which failure lost one, by its code: `workerCrashed`, `workerHung`, …; nil when there was none. */
  failures?: Record<string, number> | null;
}

/** Asks whether the service answers. */
export interface PingRequest {
}

/** Asks how the service is. */
export interface StatusRequest {
}

/** Asks for events; the answer is the current state. */
export interface SubscribeRequest {
  /**
   * Names or patterns such as `scan.*`; everything but `statistics` when missing. Added to what was subscribed
   * before.
   */
  events?: string[] | null;
  /** The last event that this client has: those that the service still keeps follow the answer. */
  after?: EventPosition | null;
}

/** Asks for events no more. */
export interface UnsubscribeRequest {
  /** Patterns that were subscribed; all when missing. */
  events?: string[] | null;
}

/** Gives up rights for the rest of this connection, before it is used for somebody who has fewer. */
export interface RoleLowerRequest {
  /** The role from now on: the own one, or one below it. */
  role: "operator" | "observer";
}

/** Reloads the configuration, as SIGHUP does. */
export interface ConfigReloadRequest {
}

/** Asks which profiles there are and which one is in use. */
export interface ProfileListRequest {
}

/** Chooses a profile, before the schedule; without one takes the choice of a request or a code back. */
export interface ProfileUseRequest {
  /** Its name. */
  profile?: string | null;
  /** Seconds after which the choice ends by itself; it holds until another one when missing. From 1 to 86400. */
  seconds?: number | null;
}

/** Arms a scan. */
export interface ScanBeginRequest {
  /** The purpose. */
  mode: "onboarding" | "barcode";
  /** The symbologies to read; the configured ones when missing. */
  symbologies?: string[] | null;
  /** x, y, width, height as shares of the frame: a code counts when its centre lies inside. */
  region?: number[] | null;
  /** Seconds after which it ends without a read; never when missing. More than 0, at most 86400. */
  timeout?: number | null;
  /** Ends after the first code (barcode mode). */
  once?: boolean | null;
  /** Anything; comes back with every event of the scan. */
  context?: unknown;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Ends a scan. */
export interface ScanCancelRequest {
  /** Which; the armed one when missing. */
  scan?: string | null;
  /** The camera, by its name; when missing that of the scan, and the first one without either. */
  camera?: string | null;
}

/** Confirms the verdict that is waiting. */
export interface ScanConfirmRequest {
  /** Which; the armed one when missing. */
  scan?: string | null;
  /** The camera, by its name; when missing that of the scan, and the first one without either. */
  camera?: string | null;
}

/** Asks for pictures in the configured folders, newest first. */
export interface GalleryListRequest {
  /** The most pictures to return; 50 when missing. From 1 to 500. */
  limit?: number | null;
  /** Go on behind this picture. */
  after?: string | null;
}

/** Reads a picture of the gallery like a frame; the verdict also goes out as an event. */
export interface GalleryScanRequest {
  /** The picture. */
  id: string;
  /** The purpose; onboarding when missing. */
  mode?: "onboarding" | "barcode" | null;
  /** Anything; comes back with the events. */
  context?: unknown;
  /** The camera in whose scan an accepted code waits, by its name; the first one when missing. */
  camera?: string | null;
}

/**
 * Judges a picture that the client itself sends: `size` bytes of a picture file follow the request's line at once.
 * The bytes count as part of the request: nothing else may be sent between. A request that is refused for its size
 * ends the connection, since its bytes could not be told from requests.
 */
export interface ScanPictureRequest {
  /** The bytes that follow the line: at most 16 MiB. From 1 to 16777216. */
  size: number;
  /** The purpose of reading the picture; onboarding when missing. */
  mode?: "onboarding" | "barcode" | null;
  /** Comes back with the verdict, unread. */
  context?: unknown;
  /** The camera in whose scan an accepted code waits, by its name; the first one when missing. */
  camera?: string | null;
}

/**
 * Asks for codes to be read and followed: `code.found`, `codes.updated` and `code.lost` tell of them until
 * `codes.unfollow` or until the client leaves. A second request of a client takes the place of its first.
 */
export interface CodesFollowRequest {
  /** The symbologies to read; all that are configured for scans when missing. */
  symbologies?: string[] | null;
  /** How large codes are printed; the first that fits holds. From 0 to 64 entries. */
  sizes?: CodeSize[] | null;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Ends what `codes.follow` of the same client began. */
export interface CodesUnfollowRequest {
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/**
 * Begins to count the codes that the camera sees, each copy once, or takes part in the count that goes on: it lasts
 * until everybody who takes part has ended it or left.
 */
export interface CountBeginRequest {
  /** The symbologies to count; all that are configured for scans when missing. A count that goes on keeps its own. */
  symbologies?: string[] | null;
  /**
   * The count to go on with, for a client that lost its connection: it is kept for 30 seconds after the last one
   * has left so.
   */
  count?: string | null;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Forgets what was counted so far, for everybody who takes part. */
export interface CountResetRequest {
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Ends a client's part in the count; with the last one the count is over. */
export interface CountEndRequest {
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Switches the camera's light. */
export interface TorchRequest {
  /** On or off. */
  on: boolean;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Asks for the cameras. */
export interface CameraListRequest {
}

/** Uses another camera, until the service ends. */
export interface CameraSelectRequest {
  /** Its identity or device. */
  id: string;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Sets a control of the camera. */
export interface CameraControlRequest {
  /** The control. */
  name: string;
  /** The value. */
  value: number;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Asks for the live picture; the connection carries pictures from now on. */
export interface MediaPreviewRequest {
  /** The width wanted in pixels; the camera's when missing. From 16 to 8192. */
  width?: number | null;
  /** Pictures a second at most. From 0.01 to 240. */
  rate?: number | null;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Asks for the next frame as a picture. */
export interface MediaSnapshotRequest {
  /** The width wanted in pixels; the camera's when missing. From 16 to 8192. */
  width?: number | null;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Asks for a picture of the scene. */
export interface MediaResourceRequest {
  /** Its id. */
  id: string;
  /** The width wanted in pixels; its own when missing. From 16 to 8192. */
  width?: number | null;
}

/** Asks for a picture of the gallery. */
export interface MediaGalleryRequest {
  /** Its id. */
  id: string;
  /** The width wanted in pixels; its own when missing. From 16 to 8192. */
  width?: number | null;
}

/** Asks for the picture of a page, over a connection that carries pictures. */
export interface MediaDocumentRequest {
  /** Its id. */
  page: string;
  /** The width wanted in pixels; its own when missing. From 16 to 8192. */
  width?: number | null;
  /** The picture as it was captured instead of the page as it will be saved. */
  original?: boolean | null;
}

/** Begins to look for pages, or takes over the session that is there. */
export interface DocumentBeginRequest {
  /** True if pages are captured by themselves; they are when missing. */
  mode?: "automatic" | "manual" | "paused" | null;
  /** The filter for new pages; `colour` when missing. */
  filter?: "colour" | "grayscale" | "bw" | "photo" | null;
  /** The camera that captures, by its name; the first one when missing. */
  camera?: string | null;
}

/** Sets the capture mode: automatic, by the shutter only, or paused. */
export interface DocumentModeRequest {
  /** Which. */
  mode: "automatic" | "manual" | "paused";
}

/** Presses the shutter: the next frame is captured, with or without a page in it. */
export interface DocumentCaptureRequest {
}

/** Returns the session and its pages. */
export interface DocumentPagesRequest {
}

/** Sets the corners of a page in its picture. */
export interface DocumentAdjustRequest {
  /** Its id. */
  page: string;
  /** Four [x, y] in pixels of the picture, clockwise from the page's top left; the whole picture when missing. */
  corners?: number[][] | null;
  /** True if the corners move to the page's edges where there are some near them. */
  snap?: boolean | null;
}

/** Sets the filter of a page. */
export interface DocumentFilterRequest {
  /** The filter. */
  filter: "colour" | "grayscale" | "bw" | "photo";
  /** Its id; all pages, and those to come, when missing. */
  page?: string | null;
}

/** Turns a page. */
export interface DocumentRotateRequest {
  /** Its id. */
  page: string;
  /** Clockwise: 90, 180 or 270. */
  degrees: number;
}

/** Puts a page elsewhere in the order. */
export interface DocumentReorderRequest {
  /** Its id. */
  page: string;
  /** Its place afterwards, from 0. */
  index: number;
}

/** Takes a page out; it can be brought back for a while. */
export interface DocumentDeleteRequest {
  /** Its id. */
  page: string;
}

/** Brings a page back that was taken out. */
export interface DocumentRestoreRequest {
  /** Its id. */
  page: string;
}

/** Lets the next capture take a page's place. */
export interface DocumentRetakeRequest {
  /** Its id; no page when missing: the next capture adds one. */
  page?: string | null;
}

/** Writes the pages into files; then the session is over. */
export interface DocumentSaveRequest {
  /** `pdf` when missing. */
  format?: "pdf" | "jpeg" | "png" | null;
  /** The name of the file, without an ending; the time when missing. */
  name?: string | null;
}

/** Throws the pages away and ends the session. */
export interface DocumentDiscardRequest {
}

/** Ends looking for pages; they stay until they are saved, discarded or too old. */
export interface DocumentEndRequest {
}

/** Begins to read text; in place of the session before, if that is the same client's. */
export interface TextBeginRequest {
  /** x, y, width, height as shares of the frame: where text is looked for; all of it when missing. */
  region?: number[] | null;
  /**
   * The patterns to accept; when missing, every line is a candidate and none is taken by itself. From 0 to 16
   * entries.
   */
  patterns?: (string | TextPatternRequest)[] | null;
  /** The languages of the text, as Tesseract names its models; the configured ones when missing. */
  languages?: string[] | null;
  /** Seconds after which it ends; never when missing. More than 0, at most 86400. */
  timeout?: number | null;
  /** The camera, by its name; the first one when missing. */
  camera?: string | null;
}

/** Accepts one of the reported candidates. */
export interface TextChooseRequest {
  /** The text of a candidate, or one of its `others`. */
  text: string;
  /** The session; the one that reads when missing. */
  session?: string | null;
}

/** Ends reading text. */
export interface TextCancelRequest {
  /** The session; the one that reads when missing. */
  session?: string | null;
}

/** Asks for the scenes. */
export interface SceneListRequest {
}

/** Uses a scene; `scene.loaded` or `scene.failed` follows. */
export interface SceneLoadRequest {
  /** Which. */
  name: string;
  /** The camera in which it is followed, by its name; that of the scene's file when missing, else the first one. */
  camera?: string | null;
}

/** Uses no scene. */
export interface SceneUnloadRequest {
}

/** Opens the AR session: coaching. */
export interface SessionStartRequest {
  /** The scene; the one in use when missing. */
  scene?: string | null;
  /**
   * The camera in which it is followed, by its name; when missing that of `scene.load`, and the same as before
   * where the scene is in use.
   */
  camera?: string | null;
}

/** Begin Scan, or Return to Scan. */
export interface SessionScanRequest {
}

/** Opens the coaching view again. */
export interface SessionCoachRequest {
}

/** Leaves the session. */
export interface SessionExitRequest {
}

/** Moves the focus to an annotation, by its id or by a point of the frame. */
export interface AnnotationSelectRequest {
  /** The annotation. */
  id?: string | null;
  /** The copy of its anchor that is meant, with `id`: one that is in sight. */
  copy?: number | null;
  /** x, y in pixels of the frame: the nearest visible marker within reach. */
  point?: number[] | null;
}

/** Moves the focus on. */
export interface AnnotationNextRequest {
}

/** Moves the focus back. */
export interface AnnotationPreviousRequest {
}

/** Takes the focus away. */
export interface AnnotationClearRequest {
}

/** Opens the detail panel of a card. */
export interface CardOpenRequest {
  /** The annotation; the selected one when missing. */
  id?: string | null;
  /** The copy of its anchor that is meant; when missing the one at which it was selected. */
  copy?: number | null;
}

/** Closes the detail panel. */
export interface CardCloseRequest {
}

/** Presses the button of a card. */
export interface CardActionRequest {
  /** The annotation; the selected one when missing. */
  id?: string | null;
  /** The copy of its anchor that is meant; when missing the one at which it was selected. */
  copy?: number | null;
}

/** Hands a form that a person has filled in to the programs on the socket. */
export interface FormSubmitRequest {
  /** Which form it is: a word of the integrator's. From 1 to 128 bytes. */
  form: string;
  /** The fields that were filled in, in the order of the form. From 1 to 200 entries. */
  fields: FormField[];
  /**
   * The client's own name for this submission: sent once more under the same one it is not taken twice. From 1 to
   * 128 bytes.
   */
  key?: string | null;
  /** Anything: comes back in `form.submitted`. */
  context?: unknown;
}

/** Lists pending forms, the oldest first. */
export interface FormPendingRequest {
  /** The most forms to return; 20 when missing. Fewer come when they are large. From 1 to 100. */
  limit?: number | null;
  /** Only those after this id. */
  after?: string | null;
}

/** Acknowledges a form: the service deletes it. */
export interface FormAcknowledgeRequest {
  /** Its id. */
  id: string;
}

/** Stores a signature. */
export interface SignatureSaveRequest {
  /**
   * Strokes: a flat list of whole numbers each, four a point: x and y in tenths of a pixel, milliseconds since the
   * first point of the signature, pressure in thousandths or −1. The first point of a stroke is as it is; x, y and
   * time of the others are differences from the point before.
   */
  strokes: number[][];
  /** The area in which they were drawn, in pixels. */
  width: number;
  /** The area in which they were drawn, in pixels. */
  height: number;
  /** The purpose, as the person has read it. */
  purpose: string;
  /** The signer, where known. */
  signer?: string | null;
  /** The thing signed: a text, or the hash of a document; goes into the signature's hash. */
  subject?: string | null;
  /** The client's own name for it: sent once more under the same one it is not kept twice. From 1 to 128 bytes. */
  key?: string | null;
}

/** Lists the signatures that are kept, the oldest first. */
export interface SignatureListRequest {
  /** The most signatures to return; 20 when missing. From 1 to 100. */
  limit?: number | null;
  /** Only those after this id. */
  after?: string | null;
}

/** Asks for a signature as a file; the connection carries pictures from now on. */
export interface SignatureGetRequest {
  /** Its id. */
  id: string;
  /** `svg`, `png`, or `json` for the strokes; SVG when missing. */
  format?: string | null;
}

/** Forgets a signature. */
export interface SignatureRemoveRequest {
  /** Its id. */
  id: string;
}

/** Asks where the device and its users are. */
export interface AccountStateRequest {
}

/** Asks for the texts and rules of the screens. */
export interface AccountPolicyRequest {
}

/** Continues with the next step. */
export interface AccountNextRequest {
  /** True if the terms of the first screen were agreed to. */
  agreed?: boolean | null;
}

/** Goes back by one screen. Of a user who is signed in and synchronizes once more it stops that; they stay in. */
export interface AccountBackRequest {
}

/** Leaves what is unfinished, or signs out. */
export interface AccountLeaveRequest {
}

/** Tries the device out without an account. */
export interface AccountDemoRequest {
}

/** Chooses a way of activation. */
export interface AccountChooseRequest {
  /** `scan`, `code`, `email` or `preset`. */
  method: string;
}

/** Hands in the link, the code or the e-mail address that activates. */
export interface AccountActivateRequest {
  /** The code that was typed or scanned. */
  code: string;
}

/** Asks who can sign in, as far as the policy shows them. */
export interface AccountUsersRequest {
}

/** Opens the list of users. */
export interface AccountSwitchRequest {
}

/** Chooses who is to sign in. */
export interface AccountSelectRequest {
  /** Their id. */
  user: string;
}

/** Begins the onboarding of one more user. */
export interface AccountAddRequest {
}

/** Asks for all that is known of the users: for administration. */
export interface AccountListRequest {
}

/** Removes a user with all that is kept of them. */
export interface AccountRemoveRequest {
  /** Their id. */
  user: string;
}

/** Lets a user, or all, try passcodes again at once. */
export interface AccountUnlockRequest {
  /** Their id; everybody when missing. */
  user?: string | null;
}

/** Hands in the credentials that were asked for. */
export interface AuthenticationSubmitRequest {
  /** An object: what was filled in, by the names of the policy's fields. */
  fields: unknown;
}

/** Hands in a new passcode: once, and once more. */
export interface AuthenticationSetPasscodeRequest {
  /** The passcode. */
  passcode: string;
}

/** Hands in the passcode of whose turn it is. */
export interface AuthenticationSignInRequest {
  /** The passcode. */
  passcode: string;
}

/** Begins to set a forgotten passcode again. */
export interface AuthenticationForgotRequest {
}

/** Makes this connection the one that verifies, looks up and synchronizes. */
export interface AuthenticationProvideRequest {
  /** Its name, for the log. */
  name?: string | null;
}

/** Answers a request of the service. */
export interface AuthenticationAnswerRequest {
  /** Its number. */
  request: number;
  /** `accepted`, `refused`, `offline` or `conflict`. */
  outcome: string;
  /** The person's name in the integrator's system; with `conflict`, the person who has to act first. */
  subject?: string | null;
  /** Their name. */
  title?: string | null;
  /** The line below it. */
  subtitle?: string | null;
  /** Where their data is. */
  host?: string | null;
  /** Words for the person, where it is not `accepted`. */
  text?: string | null;
}

/** Records a choice: about the consent that is asked for, or of a user who is signed in about any. */
export interface ConsentChooseRequest {
  /** The consent's id. */
  consent: string;
  /**
   * `allow`; else `deny` for what is needed and `later` for what is not. Once signed in, `deny` withdraws either;
   * without what is needed they are signed out.
   */
  choice: string;
  /** The language it was shown in. */
  language?: string | null;
}

/** Asks for choices that were recorded: for administration. */
export interface ConsentExportRequest {
  /** The user; everybody when missing. */
  user?: string | null;
}

/** Synchronizes once more, after an error or for a user who is signed in. */
export interface SyncRetryRequest {
}

/** Reports the progress of synchronization. */
export interface SyncProgressRequest {
  /** The number of the request. */
  request: number;
  /** The share that is done. From 0 to 1. */
  progress: number;
}

/** The parameters and the result of every method that is answered by a line. */
export interface Methods {
  /** Asks whether the service answers. */
  "ping": { params: PingRequest; result: PingResult };
  /** Asks how the service is. */
  "status": { params: StatusRequest; result: StatusResult };
  /** Asks for events; the answer is the current state. */
  "subscribe": { params: SubscribeRequest; result: Snapshot };
  /** Asks for events no more. */
  "unsubscribe": { params: UnsubscribeRequest; result: UnsubscribeResult };
  /** Gives up rights for the rest of this connection, before it is used for somebody who has fewer. */
  "role.lower": { params: RoleLowerRequest; result: RoleLowerResult };
  /** Reloads the configuration, as SIGHUP does. */
  "config.reload": { params: ConfigReloadRequest; result: ConfigReloadResult };
  /** Asks which profiles there are and which one is in use. */
  "profile.list": { params: ProfileListRequest; result: ProfileListResult };
  /** Chooses a profile, before the schedule; without one takes the choice of a request or a code back. */
  "profile.use": { params: ProfileUseRequest; result: ProfileStatus };
  /** Arms a scan. */
  "scan.begin": { params: ScanBeginRequest; result: ScanBeginResult };
  /** Ends a scan. */
  "scan.cancel": { params: ScanCancelRequest; result: Record<string, never> };
  /** Confirms the verdict that is waiting. */
  "scan.confirm": { params: ScanConfirmRequest; result: Record<string, never> };
  /** Asks for pictures in the configured folders, newest first. */
  "gallery.list": { params: GalleryListRequest; result: GalleryListResult };
  /** Reads a picture of the gallery like a frame; the verdict also goes out as an event. */
  "gallery.scan": { params: GalleryScanRequest; result: GalleryScanResult };
  /**
   * Asks for codes to be read and followed: `code.found`, `codes.updated` and `code.lost` tell of them until
   * `codes.unfollow` or until the client leaves. A second request of a client takes the place of its first.
   */
  "codes.follow": { params: CodesFollowRequest; result: Record<string, never> };
  /** Ends what `codes.follow` of the same client began. */
  "codes.unfollow": { params: CodesUnfollowRequest; result: Record<string, never> };
  /**
   * Begins to count the codes that the camera sees, each copy once, or takes part in the count that goes on: it
   * lasts until everybody who takes part has ended it or left.
   */
  "count.begin": { params: CountBeginRequest; result: CountState };
  /** Forgets what was counted so far, for everybody who takes part. */
  "count.reset": { params: CountResetRequest; result: CountState };
  /** Ends a client's part in the count; with the last one the count is over. */
  "count.end": { params: CountEndRequest; result: Record<string, never> };
  /** Switches the camera's light. */
  "torch": { params: TorchRequest; result: TorchResult };
  /** Asks for the cameras. */
  "camera.list": { params: CameraListRequest; result: CameraListResult };
  /** Uses another camera, until the service ends. */
  "camera.select": { params: CameraSelectRequest; result: CameraSelectResult };
  /** Sets a control of the camera. */
  "camera.control": { params: CameraControlRequest; result: CameraControlResult };
  /** Begins to look for pages, or takes over the session that is there. */
  "document.begin": { params: DocumentBeginRequest; result: DocumentSession };
  /** Sets the capture mode: automatic, by the shutter only, or paused. */
  "document.mode": { params: DocumentModeRequest; result: Record<string, never> };
  /** Presses the shutter: the next frame is captured, with or without a page in it. */
  "document.capture": { params: DocumentCaptureRequest; result: Record<string, never> };
  /** Returns the session and its pages. */
  "document.pages": { params: DocumentPagesRequest; result: DocumentSession };
  /** Sets the corners of a page in its picture. */
  "document.adjust": { params: DocumentAdjustRequest; result: DocumentPage };
  /** Sets the filter of a page. */
  "document.filter": { params: DocumentFilterRequest; result: DocumentSession };
  /** Turns a page. */
  "document.rotate": { params: DocumentRotateRequest; result: DocumentPage };
  /** Puts a page elsewhere in the order. */
  "document.reorder": { params: DocumentReorderRequest; result: DocumentSession };
  /** Takes a page out; it can be brought back for a while. */
  "document.delete": { params: DocumentDeleteRequest; result: DocumentSession };
  /** Brings a page back that was taken out. */
  "document.restore": { params: DocumentRestoreRequest; result: DocumentSession };
  /** Lets the next capture take a page's place. */
  "document.retake": { params: DocumentRetakeRequest; result: Record<string, never> };
  /** Writes the pages into files; then the session is over. */
  "document.save": { params: DocumentSaveRequest; result: DocumentSaved };
  /** Throws the pages away and ends the session. */
  "document.discard": { params: DocumentDiscardRequest; result: Record<string, never> };
  /** Ends looking for pages; they stay until they are saved, discarded or too old. */
  "document.end": { params: DocumentEndRequest; result: Record<string, never> };
  /** Begins to read text; in place of the session before, if that is the same client's. */
  "text.begin": { params: TextBeginRequest; result: TextSession };
  /** Accepts one of the reported candidates. */
  "text.choose": { params: TextChooseRequest; result: TextAccepted };
  /** Ends reading text. */
  "text.cancel": { params: TextCancelRequest; result: Record<string, never> };
  /** Asks for the scenes. */
  "scene.list": { params: SceneListRequest; result: SceneListResult };
  /** Uses a scene; `scene.loaded` or `scene.failed` follows. */
  "scene.load": { params: SceneLoadRequest; result: SceneLoadResult };
  /** Uses no scene. */
  "scene.unload": { params: SceneUnloadRequest; result: Record<string, never> };
  /** Opens the AR session: coaching. */
  "session.start": { params: SessionStartRequest; result: SessionResult };
  /** Begin Scan, or Return to Scan. */
  "session.scan": { params: SessionScanRequest; result: SessionResult };
  /** Opens the coaching view again. */
  "session.coach": { params: SessionCoachRequest; result: SessionResult };
  /** Leaves the session. */
  "session.exit": { params: SessionExitRequest; result: SessionResult };
  /** Moves the focus to an annotation, by its id or by a point of the frame. */
  "annotation.select": { params: AnnotationSelectRequest; result: AnnotationResult };
  /** Moves the focus on. */
  "annotation.next": { params: AnnotationNextRequest; result: AnnotationResult };
  /** Moves the focus back. */
  "annotation.previous": { params: AnnotationPreviousRequest; result: AnnotationResult };
  /** Takes the focus away. */
  "annotation.clear": { params: AnnotationClearRequest; result: AnnotationResult };
  /** Opens the detail panel of a card. */
  "card.open": { params: CardOpenRequest; result: AnnotationResult };
  /** Closes the detail panel. */
  "card.close": { params: CardCloseRequest; result: AnnotationResult };
  /** Presses the button of a card. */
  "card.action": { params: CardActionRequest; result: CardActionResult };
  /** Hands a form that a person has filled in to the programs on the socket. */
  "form.submit": { params: FormSubmitRequest; result: FormSubmitResult };
  /** Lists pending forms, the oldest first. */
  "form.pending": { params: FormPendingRequest; result: FormPendingResult };
  /** Acknowledges a form: the service deletes it. */
  "form.acknowledge": { params: FormAcknowledgeRequest; result: FormAcknowledgeResult };
  /** Stores a signature. */
  "signature.save": { params: SignatureSaveRequest; result: SignatureSaveResult };
  /** Lists the signatures that are kept, the oldest first. */
  "signature.list": { params: SignatureListRequest; result: SignatureListResult };
  /** Forgets a signature. */
  "signature.remove": { params: SignatureRemoveRequest; result: SignatureRemoveResult };
  /** Asks where the device and its users are. */
  "account.state": { params: AccountStateRequest; result: AccountState };
  /** Asks for the texts and rules of the screens. */
  "account.policy": { params: AccountPolicyRequest; result: AccountPolicyResult };
  /** Continues with the next step. */
  "account.next": { params: AccountNextRequest; result: AccountState };
  /** Goes back by one screen. Of a user who is signed in and synchronizes once more it stops that; they stay in. */
  "account.back": { params: AccountBackRequest; result: AccountState };
  /** Leaves what is unfinished, or signs out. */
  "account.leave": { params: AccountLeaveRequest; result: AccountState };
  /** Tries the device out without an account. */
  "account.demo": { params: AccountDemoRequest; result: AccountState };
  /** Chooses a way of activation. */
  "account.choose": { params: AccountChooseRequest; result: AccountState };
  /** Hands in the link, the code or the e-mail address that activates. */
  "account.activate": { params: AccountActivateRequest; result: AccountState };
  /** Asks who can sign in, as far as the policy shows them. */
  "account.users": { params: AccountUsersRequest; result: AccountUsersResult };
  /** Opens the list of users. */
  "account.switch": { params: AccountSwitchRequest; result: AccountState };
  /** Chooses who is to sign in. */
  "account.select": { params: AccountSelectRequest; result: AccountState };
  /** Begins the onboarding of one more user. */
  "account.add": { params: AccountAddRequest; result: AccountState };
  /** Asks for all that is known of the users: for administration. */
  "account.list": { params: AccountListRequest; result: AccountListResult };
  /** Removes a user with all that is kept of them. */
  "account.remove": { params: AccountRemoveRequest; result: Record<string, never> };
  /** Lets a user, or all, try passcodes again at once. */
  "account.unlock": { params: AccountUnlockRequest; result: Record<string, never> };
  /** Hands in the credentials that were asked for. */
  "authentication.submit": { params: AuthenticationSubmitRequest; result: AccountState };
  /** Hands in a new passcode: once, and once more. */
  "authentication.setPasscode": { params: AuthenticationSetPasscodeRequest; result: AccountState };
  /** Hands in the passcode of whose turn it is. */
  "authentication.signIn": { params: AuthenticationSignInRequest; result: AccountState };
  /** Begins to set a forgotten passcode again. */
  "authentication.forgot": { params: AuthenticationForgotRequest; result: AccountState };
  /** Makes this connection the one that verifies, looks up and synchronizes. */
  "authentication.provide": { params: AuthenticationProvideRequest; result: Record<string, never> };
  /** Answers a request of the service. */
  "authentication.answer": { params: AuthenticationAnswerRequest; result: Record<string, never> };
  /** Records a choice: about the consent that is asked for, or of a user who is signed in about any. */
  "consent.choose": { params: ConsentChooseRequest; result: AccountState };
  /** Asks for choices that were recorded: for administration. */
  "consent.export": { params: ConsentExportRequest; result: ConsentExportResult };
  /** Synchronizes once more, after an error or for a user who is signed in. */
  "sync.retry": { params: SyncRetryRequest; result: AccountState };
  /** Reports the progress of synchronization. */
  "sync.progress": { params: SyncProgressRequest; result: Record<string, never> };
}

/** The parameters of every method that is answered by pictures. */
export interface PictureMethods {
  "media.preview": MediaPreviewRequest;
  "media.snapshot": MediaSnapshotRequest;
  "media.resource": MediaResourceRequest;
  "media.gallery": MediaGalleryRequest;
  "media.document": MediaDocumentRequest;
  "signature.get": SignatureGetRequest;
}

/** The payload of every event. */
export interface Events {
  /** The first line on every connection. */
  "hello": Hello;
  /** This connection was too slow and lost events. */
  "stream.dropped": StreamDropped;
  /** The last line before the service closes this connection on its own. */
  "connection.closed": ConnectionClosed;
  /** A request to the provider: sent to its connection alone. */
  "authentication.requested": AuthenticationRequested;
  /** A request needs no reply any more: sent to the integrator's program alone. */
  "authentication.withdrawn": AuthenticationWithdrawn;
  /** An accepted code. */
  "scan.successful": ScanSuccessful;
  /** A code was read; policy or signature refused it. */
  "scan.invalid": ScanInvalid;
  /** A still picture, or an armed scan that timed out, without an acceptable read. */
  "scan.unsuccessful": ScanUnsuccessful;
  /** An armed scan sees a code that it cannot read. */
  "scan.guide": ScanGuide;
  /** The person went on. */
  "scan.confirmed": ScanConfirmed;
  /** The person left, or the scan ended otherwise. */
  "scan.cancelled": ScanCancelled;
  /** An armed scan is over, however it ended: the last event of it. */
  "scan.ended": ScanEnded;
  /** The state of the scanner. */
  "scanner.status": ScannerStatus;
  /** The state of the camera. */
  "camera.status": CameraStatus;
  /**
   * The focal length of a camera without a calibration was found from what was followed in it, or more exactly than
   * before. Poses are computed with it from when nothing is followed.
   */
  "camera.intrinsics": CameraIntrinsicsFound;
  /** The profile in use, and why: another one than before. */
  "profile.changed": ProfileStatus;
  /** The AR session moved on. */
  "session.phase": SessionPhaseEvent;
  /** An anchor has come into view. */
  "anchor.found": AnchorFound;
  /** An anchor has been out of view for a while. */
  "anchor.lost": AnchorLost;
  /** Where everything is that is followed; one a frame. */
  "anchors.updated": AnchorsUpdated;
  /** A code is known and followed from now on. */
  "code.found": CodeFound;
  /** A code has been out of view for a while, or something else stands in its place. */
  "code.lost": CodeLost;
  /** Where every code is that is followed; one a frame. */
  "codes.updated": CodesUpdated;
  /** Everything that was counted; told when it changes, at most five times a second. */
  "count.changed": CountState;
  /** The count is over. */
  "count.ended": CountEnded;
  /** A marker becomes visible or not, selected or not. */
  "marker.changed": MarkerChanged;
  /** The focus moved to an annotation. */
  "annotation.selected": AnnotationSelected;
  /** No annotation has the focus any more. */
  "annotation.cleared": AnnotationCleared;
  /** The detail panel of a card opened. */
  "card.opened": CardOpened;
  /** The detail panel of a card closed. */
  "card.closed": CardClosed;
  /** The button of a card was pressed; the client that shows the card does what it says. */
  "card.action": CardAction;
  /** A scene is in use. */
  "scene.loaded": SceneLoaded;
  /** No scene is in use any more. */
  "scene.unloaded": SceneUnloaded;
  /** A scene is being loaded; coalesces. */
  "scene.progress": SceneProgress;
  /** A scene cannot be used; the one before stays. */
  "scene.failed": SceneFailed;
  /** A person has filled in a form and sent it. */
  "form.submitted": FormSubmitted;
  /** A person has signed. */
  "signature.saved": SignatureSaved;
  /** Where the page is in a frame, and how far capturing it has come. */
  "document.outline": DocumentOutline;
  /** A page was captured and written down. */
  "document.captured": DocumentCaptured;
  /** The session or its pages changed otherwise. */
  "document.changed": DocumentChanged;
  /** A page could not be captured or kept; the session goes on with what it has. */
  "document.failed": DocumentFailed;
  /** The pages are saved. */
  "document.saved": DocumentSaved;
  /** The session is over, or no client holds it any longer. */
  "document.ended": DocumentEnded;
  /** A session began to read text. */
  "text.began": TextBegan;
  /** The texts that may be taken in a frame. */
  "text.candidates": TextCandidates;
  /** A text was taken: it was stable over frames, or somebody chose it. The session is over. */
  "text.accepted": TextAccepted;
  /** A frame could not be read; the session goes on. */
  "text.failed": TextFailed;
  /** The session is over. */
  "text.ended": TextEnded;
  /** Where the device and its users are. */
  "account.state": AccountState;
  /** A user was removed, with all that was kept of them. */
  "account.removed": AccountRemoved;
  /** A choice was written down. */
  "consent.recorded": ConsentRecorded;
  /** Figures of the running service; once a second to who asked for them by name. */
  "statistics": Statistics;
  /** The service stops. */
  "server.stopping": ServerStopping;
}

/** What is beside the payload of an event. */
export interface Envelope<Name extends string> {
  event: Name;
  /** The service's counter; gaps are normal. */
  seq?: number;
  /** RFC 3339, UTC, milliseconds. */
  time?: string;
  /** The camera that it is of, by its name, where the service has several. */
  camera?: string;
  /** The frame it was seen in. */
  frame?: FrameReference;
}

/** An event, told apart by its name. */
export type Event = { [Name in keyof Events]: Envelope<Name> & Events[Name] }[keyof Events];

/** The codes of error replies of this version. */
export type ErrorCode =
  | "badConfiguration"
  | "badParams"
  | "badPicture"
  | "busy"
  | "codeRefused"
  | "full"
  | "internalError"
  | "lineTooLong"
  | "malformedRequest"
  | "noCamera"
  | "noScan"
  | "noScene"
  | "noSession"
  | "noSpace"
  | "notConfigured"
  | "notFound"
  | "notPermitted"
  | "notSupported"
  | "nothingToConfirm"
  | "passcodeRules"
  | "replayed"
  | "stopping"
  | "textEngineMissing"
  | "textLanguageMissing"
  | "unknownMethod"
  | "waiting"
  | "wrongConnection"
  | "wrongPhase"
  ;
