internal import Glibc
internal import PawlCore

/// The folder that the command was called in, for what goes on elsewhere.
struct CurrentFolder {
    /// With a slash at its end.
    private let path: String

    init() throws(DownloadError) {
        guard let path = getcwd(nil, 0) else {
            throw DownloadError(
                .directoryNotUsable,
                "the current folder cannot be told: \(String(cString: strerror(errno)))",
                advice: "change to another one"
            )
        }
        defer { free(path) }
        let text = String(cString: path)
        self.path = text.hasSuffix("/") ? text : "\(text)/"
    }

    func absolute(_ other: String) -> String { other.hasPrefix("/") ? other : path + other }
}
