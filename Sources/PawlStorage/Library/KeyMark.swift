package import PawlCore
package import SystemPackage

/// The key on a file that is not finished: so it is found where the note on its download was lost.
package enum KeyMark {
    private static let attribute = "user.pawl.key"
    /// Some file systems have 4 KiB for all of a file's attributes.
    private static let longestCertain = 1000

    /// A convenience: a file system without attributes has the note alone.
    static func put(_ key: String, on file: OpenFile) {
        try? ExtendedAttributes.write(Array(key.utf8), attribute, on: file)
    }

    /// Whether what is there is nobody else's: it carries the key, or nothing can, or nothing is there.
    package static func isPossible(_ key: StorageKey, on path: FilePath) -> Bool {
        do throws(AttributeFailure) {
            return try ExtendedAttributes.read(attribute, of: path) == Array(key.text.utf8)
        } catch {
            switch error {
            case .notSupportedHere, .failed(.noSuchFileOrDirectory): return true
            // There may have been no room for it.
            case .absent: return key.text.utf8.count > longestCertain
            case .tooLarge, .failed: return false
            }
        }
    }

    package static func key(on path: FilePath) -> StorageKey? {
        // What cannot be read is no key.
        guard let bytes = try? ExtendedAttributes.read(attribute, of: path) else { return nil }
        return String(validating: bytes, as: UTF8.self).map { StorageKey($0) }
    }
}

extension PartialStore {
    /// Notes whose download this is.
    package func mark(key: String) { KeyMark.put(key, on: file) }
}
