package import PawlCore
package import SystemPackage

/// The key on a file that is not finished: so it is found where the note on its download was lost.
package enum KeyMark {
    private static let attribute = "user.pawl.key"

    /// A convenience: a file system without attributes has the note alone.
    static func put(_ key: String, on file: OpenFile) {
        try? ExtendedAttributes.write(Array(key.utf8), attribute, on: file)
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
