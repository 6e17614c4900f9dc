package import PawlCore
package import PawlWire

/// Where the files of downloads may lie that are added or changed over TCP.
///
/// Who is bound by it is decided by `AccessRules`.
package struct NetworkRules: Sendable {
    /// Absolute paths.
    package let folders: [String]

    package init(folders: [String]) { self.folders = folders }

    /// A new download within the rules; what is relative lies in the first folder.
    ///
    /// Throws `.notAllowed`, and `.usage` for what is no place of a file.
    package func confine(_ new: NewDownload) throws(DownloadError) -> NewDownload {
        var new = new
        if !new.destination.hasPrefix("/") {
            guard let first = folders.first else { throw Self.noFolder }
            new.destination = "\(first)/\(new.destination)"
        }
        let root = try root(of: new.destination)
        new.confinedTo = root
        try new.checkDestination()
        for name in PathNames.names(of: new.destination, in: root) { try Self.checkName(name) }
        return new
    }

    /// Throws `.notAllowed` for the name of a partial file and the like: what gets it would be taken for
    /// another download's bytes, or keep that from its name.
    package static func checkName(_ name: String) throws(DownloadError) {
        guard FileName.isReserved(name) else { return }
        throw DownloadError(
            .notAllowed,
            "'\(name.sanitized(atMost: 200))' is a name of partial files, which is not for use "
                + "over TCP",
            advice: "choose another name, such as "
                + "'\((FileName.clean(name) ?? "download").sanitized(atMost: 200))'"
        )
    }

    /// The folder that a path lies in, of those that are allowed; the innermost.
    package func root(of path: String) throws(DownloadError) -> String {
        let fitting = folders.filter { PathNames.lies(path, in: $0) }
        if let root = fitting.max(by: { $0.utf8.count < $1.utf8.count }) { return root }
        guard !folders.isEmpty else { throw Self.noFolder }
        throw DownloadError(
            .notAllowed,
            "'\(path.sanitized(atMost: 200))' lies in no folder that may be used over TCP",
            advice: "choose one in \(folders.joined(separator: ", ")), or allow another: "
                + "pawl daemon allow --folder"
        )
    }

    private static let noFolder = DownloadError(
        .notAllowed,
        "no folder may be used over TCP",
        advice: "allow one: pawl daemon allow --folder"
    )
}

/// Paths by their names alone.
enum PathNames {
    static func lies(_ path: String, in folder: String) -> Bool {
        let names = path.split(separator: "/").filter { $0 != "." }
        let own = folder.split(separator: "/").filter { $0 != "." }
        guard path.hasPrefix("/"), !names.contains("..") else { return false }
        // The folder itself is meant where a file is to be put into it.
        let isFolder = path.hasSuffix("/") || path.hasSuffix("/.")
        return names.starts(with: own) && (names.count > own.count || isFolder)
    }

    /// The names on the way from a folder to what lies in it.
    static func names(of path: String, in folder: String) -> [String] {
        let names = path.split(separator: "/").filter { $0 != "." }
        return names.dropFirst(folder.split(separator: "/").filter { $0 != "." }.count)
            .map(String.init)
    }

    /// The folder of a file, or the one that is meant by a slash at the end.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? path
    }
}
