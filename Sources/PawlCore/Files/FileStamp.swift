/// A stamp that shows whether the file under a name is still the same.
package struct FileStamp: Hashable, Sendable, Codable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int64
    /// The modification time in nanoseconds since 1970.
    package var modified: Int64

    package init(device: UInt64, inode: UInt64, size: Int64, modified: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    /// Whether both stamps are of the same file on disk, whatever it contains now.
    package func isSameFile(as other: FileStamp) -> Bool {
        device == other.device && inode == other.inode
    }
}
