public import struct FoundationEssentials.URL
public import PawlCore

/// How resume data are to be used.
public struct ResumeSettings: Sendable {
    /// Where the partial file is now.
    ///
    /// Nil, the default, is where it was. Of Apple's resume data it is the temporary file.
    public var partialFile: String?
    /// Where the file is to go.
    ///
    /// By default where it was to go; where the partial file was moved, the same name beside it.
    public var destination: Destination?
    /// Another URL of the same file, as the old one has expired.
    public var url: URL?
    /// What to do where the data cannot be used; to start anew by default.
    public var fallback = ResumeFallback.startAnew
    /// How it is done, in place of the session's settings.
    package var settings: DownloadSettings?

    /// Makes the defaults.
    public init() {}
}
