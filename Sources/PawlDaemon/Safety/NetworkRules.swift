internal import struct FoundationEssentials.URL
package import PawlCore
package import PawlWire

/// The folders, also those of buckets, for the files of downloads that are added or changed over
/// TCP, or that a web page has chosen.
///
/// `AccessRules` decides which authorities are confined to them.
package struct NetworkRules: Sendable {
    /// The allowed folders, as absolute paths.
    package let folders: [String]
    /// The allowed folders of buckets, as `s3:` URLs.
    package let bucketFolders: [String]

    package init(folders: [String]) {
        self.folders = folders.filter { !ObjectAddress.isOne($0) }
        bucketFolders = folders.filter(ObjectAddress.isOne)
    }

    /// Returns a new download that is confined to an allowed folder; a relative path is in the
    /// first folder.
    ///
    /// Throws `.notAllowed`, and `.usage` for a path that cannot be that of a file or has control
    /// characters.
    package func confine(_ new: NewDownload) throws(DownloadError) -> NewDownload {
        var new = new
        if ObjectAddress.isOne(new.destination) {
            (new.confinedTo, new.isConfined) = (try root(ofObject: new.destination), nil)
            return new
        }
        if !new.destination.isAbsolutePath {
            guard let first = folders.first else { throw Self.noFolder }
            new.destination = "\(first)/\(new.destination)"
        }
        let root = try root(of: new.destination)
        (new.confinedTo, new.isConfined) = (root, nil)
        try new.checkDestination()
        for name in new.destination.names(below: root) ?? [] { try Self.checkName(name) }
        return new
    }

    /// Throws `.usage` for a name with control characters, and `.notAllowed` for a name that Pawl
    /// uses for partial files and the like: the file could be mistaken for the partial file of
    /// another download.
    package static func checkName(_ name: String) throws(DownloadError) {
        guard !name.holdsUnsafeToShow else {
            throw .usage(
                "the name '\(name.sanitized(atMost: 200))' contains control characters or "
                    + "characters that change the direction of text",
                advice: "choose another name"
            )
        }
        guard FileName.isReserved(name) else { return }
        throw DownloadError(
            .notAllowed,
            "'\(name.sanitized(atMost: 200))' is a name for partial files, which cannot be used "
                + "over TCP",
            advice: "choose another name, such as "
                + "'\((FileName.clean(name) ?? "download").sanitized(atMost: 200))'"
        )
    }

    /// Returns the innermost allowed folder that contains a path.
    package func root(of path: String) throws(DownloadError) -> String {
        if ObjectAddress.isOne(path) { return try root(ofObject: path) }
        let containing = folders.filter { Self.lies(path, in: $0) }
        if let root = containing.max(by: { $0.utf8.count < $1.utf8.count }) { return root }
        guard !folders.isEmpty else { throw Self.noFolder }
        throw DownloadError(
            .notAllowed,
            "'\(path.sanitized(atMost: 200))' is not in an allowed folder",
            advice: "choose one in \(folders.joined(separator: ", ")), or allow another: "
                + "pawl daemon allow --folder"
        )
    }

    /// Returns the innermost allowed folder of a bucket that contains an object.
    private func root(ofObject url: String) throws(DownloadError) -> String {
        let object = try ObjectAddress.parse(url).absoluteString
        let containing = bucketFolders.filter { ObjectAddress.lies(object, in: $0) }
        if let root = containing.max(by: { $0.utf8.count < $1.utf8.count }) { return root }
        throw DownloadError(
            .notAllowed,
            "'\(object.sanitized(atMost: 200))' is not in an allowed folder of a bucket",
            advice: bucketFolders.isEmpty
                ? "allow one: pawl daemon allow --folder s3://bucket/folder/"
                : "choose one in \(bucketFolders.joined(separator: ", "))"
        )
    }

    /// Whether a file is in a folder by the text of its path.
    ///
    /// A path that ends in a slash is that of a folder, in which the file gets a name.
    private static func lies(_ path: String, in folder: String) -> Bool {
        guard let names = path.names(below: folder) else { return false }
        return !names.isEmpty || path.isFolderPath || path.pathFile == "."
    }

    private static let noFolder = DownloadError(
        .notAllowed,
        "no folder is allowed",
        advice: "allow one: pawl daemon allow --folder"
    )
}
