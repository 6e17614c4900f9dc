public import struct FoundationEssentials.URL

/// The destination of a download.
public enum Destination: Hashable, Sendable {
    /// The given file.
    ///
    /// Its folder must exist or be creatable.
    case file(String)
    /// The given folder.
    ///
    /// The server or the URL determines the name.
    case directory(String)
    /// The given object of a storage service with the S3 protocol: `s3://bucket/key`.
    ///
    /// If the URL ends in a slash, the server or the URL of the download determines the rest of the
    /// key.
    case object(URL)

    /// Whether both are the same path or URL; paths that only look the same are those of different files.
    public static func == (one: Destination, other: Destination) -> Bool {
        switch (one, other) {
        case (.file(let path), .file(let another)), (.directory(let path), .directory(let another)):
            path.isExactly(another)
        case (.object(let url), .object(let another)):
            url.absoluteString.isExactly(another.absoluteString)
        default: false
        }
    }

    /// The path or the URL.
    package var text: String {
        switch self {
        case .file(let path), .directory(let path): path
        case .object(let url): url.absoluteString
        }
    }

    /// Hashes the bytes of the path, which are compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .file(let path): hasher.combine(ExactText(path))
        case .directory(let path): hasher.combine(ExactText(path))
        case .object(let url): hasher.combine(ExactText(url.absoluteString))
        }
    }
}
