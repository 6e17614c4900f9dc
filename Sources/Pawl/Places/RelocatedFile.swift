internal import PawlStorage
internal import SystemPackage

/// The result of moving a file.
public struct RelocatedFile: Hashable, Sendable {
    /// The path of the file.
    ///
    /// If another file has the name and was kept, it is the path of that file.
    public let path: String
    /// Whether nothing was moved because the name was taken.
    public let wasSkipped: Bool
    /// Whether the old name still exists: nothing was moved, or it could not be removed.
    public let sourceRemains: Bool
    /// The extended attributes that the other file system does not keep.
    public let lostAttributes: [String]

    init(_ file: MovedFile) {
        path = file.path.string
        wasSkipped = file.wasSkipped
        sourceRemains = file.sourceRemains
        lostAttributes = file.lostAttributes
    }
}
