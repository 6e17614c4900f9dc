package import PawlCore

extension StorageKey {
    /// The key's encoded form in names of files: at most 200 bytes, so that `.part.pawl` can be
    /// added.
    package var fileName: String {
        if let plainForm { return plainForm }
        let digest = Array(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }
        return shortenedForm(digest: digest.map(\.hexadecimal).joined())
    }
}
