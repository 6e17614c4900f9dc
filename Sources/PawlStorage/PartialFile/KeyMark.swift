package import PawlCore
package import SystemPackage

/// The key stored with an unfinished file, so that it is found if the note on its download was
/// lost.
package enum KeyMark {
    private static let attribute = "user.pawl.key"
    /// The length that always fits: some file systems have 4 KiB for all attributes of a file.
    private static let longestCertain = 1000

    /// Stores the key.
    ///
    /// A failure is ignored: on a file system without attributes there is only the note.
    static func put(_ key: String, on file: OpenFile) {
        try? ExtendedAttributes.write(Array(key.utf8), attribute, on: file)
    }

    /// Whether the file can be this key's: it carries the key, or cannot carry one, or does not
    /// exist.
    package static func isPossible(_ key: StorageKey, on path: FilePath) -> Bool {
        do throws(AttributeFailure) {
            return try ExtendedAttributes.read(attribute, of: path) == Array(key.text.utf8)
        } catch {
            switch error {
            case .notSupportedHere, .failed(.noSuchFileOrDirectory): return true
            // There may have been no space for it.
            case .absent: return key.text.utf8.count > longestCertain
            case .tooLarge, .failed: return false
            }
        }
    }

    package static func key(on path: FilePath) -> StorageKey? {
        // A value that cannot be read is not a key.
        guard let bytes = try? ExtendedAttributes.read(attribute, of: path) else { return nil }
        return String(validating: bytes, as: UTF8.self).map { StorageKey($0) }
    }
}

extension PartialStore {
    /// Records the key of the download.
    package func mark(key: String) { KeyMark.put(key, on: file) }
}
