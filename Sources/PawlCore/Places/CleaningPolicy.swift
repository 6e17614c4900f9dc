/// The rules for removing files from a cache; a rule that is `nil` does not apply.
///
/// A file's last use is its last read or its last change, whichever is later. The mount options of
/// the file system determine how precisely reads are recorded: with `relatime`, the default, once
/// per day; with `noatime`, never.
public struct CleaningPolicy: Hashable, Sendable {
    /// The age after its last use at which a file is removed.
    public var maximumAge: Duration?
    /// The maximum total size in bytes.
    ///
    /// The least recently used files are removed until it is reached.
    public var maximumTotalBytes: Int64?
    /// The minimum free space on the disk in bytes.
    ///
    /// The least recently used files are removed until it is reached.
    public var minimumFreeBytes: Int64?

    /// Creates a policy.
    ///
    /// A file is removed if any of the three rules requires it.
    public init(
        maximumAge: Duration? = nil,
        maximumTotalBytes: Int64? = nil,
        minimumFreeBytes: Int64? = nil
    ) {
        self.maximumAge = maximumAge
        self.maximumTotalBytes = maximumTotalBytes
        self.minimumFreeBytes = minimumFreeBytes
    }
}

/// The result of a cleaning.
public struct CleaningResult: Hashable, Sendable {
    /// The paths of the removed files, in order.
    public package(set) var removed: [String] = []
    /// The total size of the removed files in bytes.
    public package(set) var removedBytes: Int64 = 0
    /// The number of remaining files.
    public package(set) var remainingFiles = 0
    /// The total size of the remaining files in bytes.
    public package(set) var remainingBytes: Int64 = 0
    /// The paths of files that should have been removed and were not: they were in use, changed
    /// meanwhile, or could not be removed.
    public package(set) var kept: [String] = []

    package init() {}
}
