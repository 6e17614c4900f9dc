package import PawlCore

extension StorageKey {
    /// The key's encoded form in the names of Pawl's own files: at most 200 bytes.
    package var fileName: String { plainForm ?? shortenedForm(digest: digest) }

    /// The key's form in the names of files and folders that users see: at most 200 bytes, so that
    /// a suffix and `.part.pawl` can be added.
    package var readableName: String { readableForm ?? shortenedReadableForm(digest: digest) }

    /// The key's form in the name of an application's folders: the readable form with capital
    /// letters of ASCII.
    ///
    /// If the file system ignores case, identifiers that differ only in case have one folder.
    package var applicationName: String {
        guard let readableForm else { return readableName }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).reduce(readableForm) { name, letter in
            name.replacing("%\(letter.hexadecimal)", with: String(UnicodeScalar(letter)))
        }
    }

    private var digest: String {
        Array(text.utf8).withUnsafeBytes { SHA256.digest(of: $0) }.hexadecimal
    }
}
