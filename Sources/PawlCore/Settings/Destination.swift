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

    /// Whether both are the same path; paths that only look the same are those of different files.
    public static func == (one: Destination, other: Destination) -> Bool {
        switch (one, other) {
        case (.file(let path), .file(let another)), (.directory(let path), .directory(let another)):
            path.isExactly(another)
        default: false
        }
    }

    /// Hashes the bytes of the path, which are compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .file(let path): hasher.combine(ExactText(path))
        case .directory(let path): hasher.combine(ExactText(path))
        }
    }
}
