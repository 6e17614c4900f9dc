package import PawlCore

extension StorageKey {
    /// The key's form in names of files: at most 200 bytes, so that `.part.pawl` fits behind it.
    package var fileName: String {
        if let plainForm { return plainForm }
        let digest = Array(text.utf8).withUnsafeBytes { ShortChecksum.full($0) }
        let digits = digest.map { byte in
            let text = String(byte, radix: 16)
            return text.count == 1 ? "0" + text : text
        }
        return shortenedForm(digest: digits.joined())
    }
}
