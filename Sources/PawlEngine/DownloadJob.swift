package import struct FoundationEssentials.URL
package import PawlCore
internal import PawlStorage

/// A download to be run.
package struct DownloadJob: Sendable {
    package var url: URL
    /// The other sources of the same file.
    package var mirrors: [Mirror] = []
    package var destination: Destination
    package var settings: DownloadSettings
    /// The seed for the random delays.
    package var seed: UInt64
    /// A callback that chooses the destination from the first good response, in place of
    /// `destination`.
    package var choosesDestination: DestinationChoice?
    /// The control with which the download is suspended or stopped; `nil` if only cancelling its
    /// task can stop it.
    package var control: DownloadControl?
    /// The user's own name for the download.
    package var storageKey: String?
    /// The only existing file that the download may replace; `nil` for any.
    package var replaces: FileStamp?
    /// The data to resume from; `nil` looks for files of an earlier run.
    package var resume: ResumeRequest?
    /// Whether the finished file's path is private, so that resume data leave it out.
    package var isTemporary = false
    /// The download's own limit, which its owner may change; `nil` takes the limit of `settings`.
    package var limit: RateLimitClock?
    /// The limits shared with some other downloads; `nil` if there are never any.
    package var groupLimits: GroupLimits?
    /// The download's cookies; `nil` takes the engine's.
    package var cookies: CookieJar?
    /// Called with `true` when the download begins to wait for the network, and with `false` when
    /// it resumes.
    package var connectivityChanged: (@Sendable (_ isWaiting: Bool) -> Void)?
    /// Returns the owner of a partial file that was found; `nil` if no queue keeps track of owners.
    package var ownerOfPartialFile: PartialFileQuestion?
    /// Takes the bytes instead of a file; `destination` is then that of a temporary file.
    package var output: OrderedOutput?
    /// Where the bytes go instead of to a file; `destination` is then not used.
    package var target: ByteTarget?
    /// Returns the folder into which the caller moves the finished file, where an earlier run may
    /// have left it; `nil` if the caller moves none.
    package var moveFolder: MoveFolder?
    /// Called before the complete file gets its name; `nil` if nobody records that.
    package var willFinish: FinishAnnouncement?

    /// The URL by which the download's files are recognized.
    ///
    /// A part of a file is another file than that of the URL, and so is the response to another
    /// request than GET.
    var identity: URL {
        var scheme = ""
        if let range = settings.range { scheme += "bytes-\(range.text)+" }
        if !settings.asksForFile {
            let request = Array("\(settings.requestMethod) ".utf8) + settings.body
            scheme += "request-\(SHA256.shortText(of: request))+"
        }
        return scheme.isEmpty ? url : URL(string: scheme + url.absoluteString) ?? url
    }

    /// The URLs by which the files of the download and its mirrors are recognized.
    var urls: [URL] { [identity] + mirrors.map(\.url) }

    /// Whether an existing file with the same bytes is accepted, whoever created it.
    ///
    /// With a key, each download has its own file.
    var acceptsSameFile: Bool { storageKey == nil }

    /// Whether a small file may be received in memory.
    ///
    /// Such files are created together with others, so that they share syncs.
    var takesSmallBodies: Bool {
        !settings.checksum.isGiven && settings.checksum != .automatic
            && settings.expectedSize == nil && settings.pieces == nil
            && choosesDestination == nil && output == nil && target == nil
            && settings.asksForFile
    }

    package init(
        url: URL,
        mirrors: [Mirror] = [],
        destination: Destination,
        settings: DownloadSettings,
        seed: UInt64
    ) {
        self.url = url
        self.mirrors = mirrors
        self.destination = destination
        self.settings = settings
        self.seed = seed
    }
}
