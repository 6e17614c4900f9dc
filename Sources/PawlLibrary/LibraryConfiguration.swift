public import struct FoundationEssentials.URL
public import Pawl
public import PawlCore
internal import PawlStorage

/// The settings of a library.
public struct LibraryConfiguration: Sendable {
    /// The session for the library's downloads: limits, time limits, fields, credentials.
    ///
    /// With the kind `.background`, the daemon runs the downloads, and continues them when the
    /// process has ended. The next library with the same folder and identifier records the files
    /// that were finished meanwhile. Use the identifier only for this library: only one process at
    /// a time can use the session.
    public var session = SessionConfiguration.default
    /// What a request for a finished file does.
    ///
    /// The default is `.use`.
    public var finishedFilePolicy = FinishedFilePolicy.use
    /// The closure that returns another URL when one has expired.
    ///
    /// If it is `nil`, the default, the download fails.
    public var renewURL: URLRenewal?
    /// The path of the folder in which other programs put files with URLs.
    ///
    /// The default, `nil`, means that there is no such folder.
    public var dropFolder: String?
    /// How long a file in the drop folder must stay unchanged before it is read.
    ///
    /// The default is 0.3 s.
    ///
    /// In addition, no process may have it open for writing, if the system can report that.
    public var dropRest: Duration = .milliseconds(300)
    /// Whether the library follows changes that others make in the folder.
    ///
    /// The default is `true`.
    public var watchesFolder = true
    /// Whether each file's SHA-256 is stored if the server sent no digest, so that damage can be
    /// detected.
    ///
    /// The default is `true`. Each file is then read once more when it is finished.
    public var keepsDigests = true
    /// The maximum number of events kept for a slow reader.
    ///
    /// The default is 100,000.
    ///
    /// If there are more, the reader gets `LibraryEvent.eventsLost` in their place.
    public var mostUnreadEvents = 100_000

    /// Creates the default configuration.
    public init() {}
}

/// A closure that returns another URL for the same file.
///
/// It returns `nil` or throws if there is none.
public typealias URLRenewal = @Sendable (ExpiredURL) async throws -> URL?

/// A URL that the server no longer serves: it responded with 401, 403 or 410.
public struct ExpiredURL: Sendable {
    /// The key of the file.
    public let key: StorageKey
    /// The URL.
    public let url: URL
    /// The status of the server's response.
    public let status: Int
}

/// A request to a library for one key.
public struct LibraryRequest: Sendable, SettingsAdjusting, HTTPFieldEditing {
    /// The URL of the file; `nil` means the URL known from an earlier request.
    public var url: URL?
    /// The name for the file.
    ///
    /// The default is the key, with the URL's extension. Letters of all scripts, digits and dots
    /// stay as they are where every file system keeps them apart; capital letters and other
    /// characters become `%` and hexadecimal digits.
    ///
    /// It is cleaned, and gets a number if another key has it.
    public var name: String?
    /// What to do if the file exists; `nil`, the default, means the library's policy.
    public var policy: FinishedFilePolicy?
    /// The changes to the session's settings for this download; `nil`, the default, changes nothing.
    ///
    /// An example is `request.adjustment = { $0.retries = 3 }`.
    ///
    /// The changes and the `fields` are kept only in memory: in another process, give them again. In
    /// this process, a later request for the key without changes and fields uses both from the
    /// earlier request. Credentials and secret fields are sent only to the origin of the URL with
    /// which they were given. They are not sent to another origin of a URL that is given later.
    public var adjustment: SettingsAdjustment?
    /// Fields to send in addition to those of the settings.
    ///
    /// They replace the settings' fields of the same name.
    public var fields: [HTTPField] = []
    /// The URL with which `adjustment` and `fields` were given.
    var adjustmentURL: URL?
    /// The closure that returns another URL when one has expired, in place of the library's own
    /// closure.
    public var renewURL: URLRenewal?

    /// Creates a request for a file that is fetched from this URL with the session's settings, which
    /// `adjustment` may change.
    ///
    /// ```swift
    /// var request = LibraryRequest(url) { $0.retries = 3 }
    /// request.setValue("en", forHTTPHeaderField: "Accept-Language")
    /// ```
    public init(_ url: URL? = nil, adjusting adjustment: SettingsAdjustment? = nil) {
        self.url = url
        self.adjustment = adjustment
    }

    /// Whether the request changes the settings of the session.
    var changesSettings: Bool { adjustment != nil || !fields.isEmpty }

    /// Takes the changes of the settings from another request.
    mutating func takeChanges(of other: LibraryRequest?) {
        adjustment = other?.adjustment
        fields = other?.fields ?? []
        adjustmentURL = other?.adjustmentURL
    }

    /// The name that was given, in a usable form; `nil` if there is none.
    var usableName: String? { name.flatMap(LibraryName.usable) }

    /// Returns the name for the file of a key for which none was given.
    func defaultName(for key: StorageKey) -> String {
        let name = key.readableName
        guard let url else { return name }
        let suggested = FileName.suggested(contentDisposition: nil, url: url, mediaType: nil)
        let suffix = FileNameParts(suggested).suffix
        return name.hasSuffix(suffix.lowercased()) ? name : name + suffix
    }
}
