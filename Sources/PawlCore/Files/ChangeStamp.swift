/// A stamp of a file that differs after each change of its content, its owner or its permissions.
package struct ChangeStamp: Hashable, Sendable {
    private let file: FileStamp
    /// The time of the last change in nanoseconds since 1970.
    private let changed: Int64

    package init(_ file: FileStamp, changed: Int64) { (self.file, self.changed) = (file, changed) }
}
