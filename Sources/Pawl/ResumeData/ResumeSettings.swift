public import struct FoundationEssentials.URL
public import PawlCore

/// The settings for using resume data.
public struct ResumeSettings: Sendable, SettingsAdjusting {
    /// The current path of the partial file.
    ///
    /// The default, `nil`, is its original path. For Apple's resume data it is the temporary file.
    /// If there is no such file, the partial file of the destination is used if it belongs to the
    /// same download.
    public var partialFile: String?
    /// The destination of the file.
    ///
    /// The default is the original one; if the partial file was moved, it is the same name beside
    /// it. If the data is from somebody else, give a destination: the original one may be any path.
    public var destination: Destination?
    /// Another URL of the same file, if the old one has expired.
    public var url: URL?
    /// What happens if the data cannot be used.
    ///
    /// The default is to start over.
    public var fallback = ResumeFallback.startOver
    /// The changes to the session's settings; `nil`, the default, changes nothing.
    public var adjustment: SettingsAdjustment?

    /// Creates the default settings.
    public init() {}
}
