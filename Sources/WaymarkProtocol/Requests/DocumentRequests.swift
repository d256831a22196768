/// Begins to look for pages, or takes over the session that is there.
public struct DocumentBeginRequest: ServiceRequest {
  /// True if pages are captured by themselves; they are when missing.
  public var mode: DocumentMode?
  /// The filter for new pages; `colour` when missing.
  public var filter: DocumentFilter?
  /// The camera that captures, by its name; the first one when missing.
  public var camera: String?

  /// The result of a success.
  public typealias Result = DocumentSession

  /// The name on the wire.
  public static let method = "document.begin"

  /// A value from its parts.
  public init(
    mode: DocumentMode? = nil, filter: DocumentFilter? = nil, camera: String? = nil
  ) {
    self.mode = mode
    self.filter = filter
    self.camera = camera
  }
}

/// Sets the capture mode: automatic, by the shutter only, or paused.
public struct DocumentModeRequest: ServiceRequest {
  /// Which.
  public var mode: DocumentMode

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "document.mode"

  /// A value from its parts.
  public init(
    mode: DocumentMode
  ) {
    self.mode = mode
  }
}

/// Presses the shutter: the next frame is captured, with or without a page in it.
public struct DocumentCaptureRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "document.capture"

  /// A request without parameters.
  public init() {}
}

/// Returns the session and its pages.
public struct DocumentPagesRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = DocumentSession

  /// The name on the wire.
  public static let method = "document.pages"

  /// A request without parameters.
  public init() {}
}

/// Sets the corners of a page in its picture.
public struct DocumentAdjustRequest: ServiceRequest {
  /// Its id.
  public var page: String
  /// Four [x, y] in pixels of the picture, clockwise from the page's top left; the whole picture when missing.
  public var corners: [[Double]]?
  /// True if the corners move to the page's edges where there are some near them.
  public var snap: Bool?

  /// The result of a success.
  public typealias Result = DocumentPage

  /// The name on the wire.
  public static let method = "document.adjust"

  /// A value from its parts.
  public init(
    page: String, corners: [[Double]]? = nil, snap: Bool? = nil
  ) {
    self.page = page
    self.corners = corners
    self.snap = snap
  }
}

/// Sets the filter of a page.
public struct DocumentFilterRequest: ServiceRequest {
  /// The filter.
  public var filter: DocumentFilter
  /// Its id; all pages, and those to come, when missing.
  public var page: String?

  /// The result of a success.
  public typealias Result = DocumentSession

  /// The name on the wire.
  public static let method = "document.filter"

  /// A value from its parts.
  public init(
    filter: DocumentFilter, page: String? = nil
  ) {
    self.filter = filter
    self.page = page
  }
}

/// Turns a page.
public struct DocumentRotateRequest: ServiceRequest {
  /// Its id.
  public var page: String
  /// Clockwise: 90, 180 or 270.
  public var degrees: Int

  /// The result of a success.
  public typealias Result = DocumentPage

  /// The name on the wire.
  public static let method = "document.rotate"

  /// A value from its parts.
  public init(
    page: String, degrees: Int
  ) {
    self.page = page
    self.degrees = degrees
  }
}

/// Puts a page elsewhere in the order.
public struct DocumentReorderRequest: ServiceRequest {
  /// Its id.
  public var page: String
  /// Its place afterwards, from 0.
  public var index: Int

  /// The result of a success.
  public typealias Result = DocumentSession

  /// The name on the wire.
  public static let method = "document.reorder"

  /// A value from its parts.
  public init(
    page: String, index: Int
  ) {
    self.page = page
    self.index = index
  }
}

/// Takes a page out; it can be brought back for a while.
public struct DocumentDeleteRequest: ServiceRequest {
  /// Its id.
  public var page: String

  /// The result of a success.
  public typealias Result = DocumentSession

  /// The name on the wire.
  public static let method = "document.delete"

  /// A value from its parts.
  public init(
    page: String
  ) {
    self.page = page
  }
}

/// Brings a page back that was taken out.
public struct DocumentRestoreRequest: ServiceRequest {
  /// Its id.
  public var page: String

  /// The result of a success.
  public typealias Result = DocumentSession

  /// The name on the wire.
  public static let method = "document.restore"

  /// A value from its parts.
  public init(
    page: String
  ) {
    self.page = page
  }
}

/// Lets the next capture take a page's place.
public struct DocumentRetakeRequest: ServiceRequest {
  /// Its id; no page when missing: the next capture adds one.
  public var page: String?

  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "document.retake"

  /// A value from its parts.
  public init(
    page: String? = nil
  ) {
    self.page = page
  }
}

/// Writes the pages into files; then the session is over.
public struct DocumentSaveRequest: ServiceRequest {
  /// `pdf` when missing.
  public var format: DocumentFormat?
  /// The name of the file, without an ending; the time when missing.
  public var name: String?

  /// The result of a success.
  public typealias Result = DocumentSaved

  /// The name on the wire.
  public static let method = "document.save"

  /// A value from its parts.
  public init(
    format: DocumentFormat? = nil, name: String? = nil
  ) {
    self.format = format
    self.name = name
  }
}

/// Throws the pages away and ends the session.
public struct DocumentDiscardRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "document.discard"

  /// A request without parameters.
  public init() {}
}

/// Ends looking for pages; they stay until they are saved, discarded or too old.
public struct DocumentEndRequest: ServiceRequest {
  /// The result of a success.
  public typealias Result = Empty

  /// The name on the wire.
  public static let method = "document.end"

  /// A request without parameters.
  public init() {}
}

/// Asks for the picture of a page, over a connection that carries pictures.
public struct MediaDocumentRequest: ServiceRequest {
  /// Its id.
  public var page: String
  /// The width wanted in pixels; its own when missing. From 16 to 8192.
  public var width: Int?
  /// The picture as it was captured instead of the page as it will be saved.
  public var original: Bool?

  /// The result of a success.
  public typealias Result = MediaHeader

  /// The name on the wire.
  public static let method = "media.document"

  /// A value from its parts.
  public init(
    page: String, width: Int? = nil, original: Bool? = nil
  ) {
    self.page = page
    self.width = width
    self.original = original
  }
}
