internal import Glibc
internal import SystemPackage

/// The two names of a temporary area: `area-N` is the folder, and `area-N.lock` shows its owner.
struct AreaName: Hashable {
    private static let prefix = "area-"
    private static let suffix = ".lock"

    let folder: FilePath
    let lock: FilePath

    private init(_ name: String, in root: FilePath) {
        folder = root.appending(name)
        lock = root.appending(name + Self.suffix)
    }

    static func random(in root: FilePath) -> AreaName {
        AreaName(prefix + String(UInt64.random(in: .min ... .max), radix: 16), in: root)
    }

    /// Creates the names from either one; `nil` for any other name.
    init?(entry: [UInt8], in root: FilePath) {
        guard let text = String(validating: entry, as: UTF8.self), text.hasPrefix(Self.prefix)
        else {
            return nil
        }
        let name = text.hasSuffix(Self.suffix) ? String(text.dropLast(Self.suffix.count)) : text
        let number = name.dropFirst(Self.prefix.count)
        guard let value = UInt64(number, radix: 16), String(value, radix: 16) == number else {
            return nil
        }
        self.init(name, in: root)
    }

    /// Removes both.
    ///
    /// The lock is removed last: a folder without one has no owner.
    func remove() throws(Errno) {
        UnfinishedNote.settle(in: folder)
        try FolderTree.remove(folder)
        try FolderTree.remove(lock)
    }
}
