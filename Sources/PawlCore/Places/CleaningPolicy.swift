/// What to remove from a cache; what is nil does not matter.
///
/// A file's last use is the later of its last reading and its last change. How exact a reading is
/// noted depends on how the file system is mounted: with `relatime`, the usual way, once a day, with
/// `noatime` never.
public struct CleaningPolicy: Hashable, Sendable {
    /// Files that were not used for longer than this go.
    public var maximumAge: Duration?
    /// The least recently used go until all together have at most so many bytes.
    public var maximumTotalBytes: Int64?
    /// The least recently used go until so many bytes are free on the disk.
    public var minimumFreeBytes: Int64?

    /// Makes a policy that removes what any of the three says.
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

/// What a cleaning did.
public struct CleaningResult: Hashable, Sendable {
    /// The paths of the files that were removed, in the order in which they went.
    public package(set) var removed: [String] = []
    /// How many bytes those files had.
    public package(set) var removedBytes: Int64 = 0
    /// How many files are left.
    public package(set) var remainingFiles = 0
    /// How many bytes those have.
    public package(set) var remainingBytes: Int64 = 0
    /// The paths that should have gone and stayed: in use, changed meanwhile, not removable.
    public package(set) var kept: [String] = []

    package init() {}
}
