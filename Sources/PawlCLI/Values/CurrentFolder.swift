internal import Glibc
internal import PawlCore

/// The current folder, which makes paths absolute for the daemon.
struct CurrentFolder {
    /// The path, with a slash at its end.
    private let path: String

    init() throws(DownloadError) {
        guard let path = getcwd(nil, 0) else {
            throw DownloadError(
                .directoryNotUsable,
                "the current folder cannot be determined: \(String(cString: strerror(errno)))",
                advice: "change to another folder"
            )
        }
        defer { free(path) }
        let text = String(cString: path)
        self.path = text.hasSuffix("/") ? text : "\(text)/"
    }

    func absolute(_ other: String) -> String { other.hasPrefix("/") ? other : path + other }
}
