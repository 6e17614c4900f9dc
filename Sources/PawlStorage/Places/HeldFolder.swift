internal import SystemPackage

/// Paths in folders that this process holds open, so that they keep their meaning whatever is
/// renamed or linked meanwhile.
package enum HeldFolder {
    private static let descriptors = "/proc/self/fd/"

    /// Returns the path of a folder by its descriptor.
    package static func path(_ descriptor: Int32) -> String { "\(descriptors)\(descriptor)" }

    /// Whether a path is in such a folder.
    ///
    /// No symbolic link with such a path is followed: it could lead out of the folder.
    static func contains(_ path: FilePath) -> Bool { path.string.hasPrefix(descriptors) }
}
