internal import PawlStorage
internal import SystemPackage

/// What became of a file that was to be moved.
public struct RelocatedFile: Hashable, Sendable {
    /// Where the file is; where the name was taken and was to be left alone, where that other file is.
    public let path: String
    /// Whether nothing was moved, as the name was taken.
    public let wasSkipped: Bool
    /// Whether the old name is still there: nothing was moved, or it could not be removed.
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
