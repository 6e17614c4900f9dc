package import struct FoundationEssentials.Data
package import struct FoundationEssentials.Date
package import struct FoundationEssentials.URL
package import PawlCore

/// A download to be added.
///
/// It may contain secrets: only the user gets it back, to export the queue.
package struct NewDownload: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case url, destination, settings, priority, session, notBefore, isPaused, taskIdentifier
        case taskDescription, resumeData, isConfined, confinedTo, storageKey, replaces, label
        case avoidsPrivateAddresses
    }

    package static let knownMembers = KnownMembers(
        CodingKeys.self,
        objects: [.settings: SettingsDocument<DownloadSettings>.knownMembers]
    )

    /// The URL, which may contain a user and a password.
    package var url: String
    /// The absolute path of a file, or of a folder if it ends in a slash; or the `s3:` URL of an
    /// object.
    package var destination: String
    package var settings: SettingsDocument<DownloadSettings>?
    package var priority: WirePriority?
    package var session: String?
    package var notBefore: Date?
    /// Whether the download is added paused.
    ///
    /// It starts when it is resumed.
    package var isPaused: Bool?
    /// The identifier that a background session's process uses; unique within the session.
    package var taskIdentifier: Int64?
    package var taskDescription: String?
    /// The label, from which the download takes the priority if it has none, and the folder if
    /// `destination` is relative.
    package var label: String?
    /// The data from which the download resumes.
    package var resumeData: Data?
    /// Whether the daemon confines the download as one that is added over TCP, because somebody
    /// else than the user has chosen its URL.
    package var isConfined: Bool?
    /// A folder that no file of the download may leave; the URL of a folder in a bucket if the
    /// download becomes an object.
    ///
    /// The download may not use private addresses either, unless the settings allow them.
    package var confinedTo: String?
    /// The key of a library's file, which is recorded with the partial file.
    package var storageKey: String?
    /// The only existing file that the download may replace; `nil` means any file, if the settings
    /// allow that.
    package var replaces: FileStamp?
    /// Whether the download may not connect to this machine and private networks.
    package var avoidsPrivateAddresses: Bool?

    private static let mostURLBytes = 32 << 10
    private static let mostDescriptionBytes = 64 << 10

    package init(
        url: String,
        destination: String,
        settings: SettingsDocument<DownloadSettings>? = nil
    ) {
        self.url = url
        self.destination = destination
        self.settings = settings
    }

    /// Changes the URL or the settings of the download; omitted values stay as they are.
    ///
    /// If the new URL has another origin, the secrets given for the old one are dropped, unless
    /// `changes` gives them again.
    ///
    /// Throws `.usage` for a URL that is not valid.
    package mutating func change(
        url new: String?,
        settings changes: SettingsDocument<DownloadSettings>
    ) throws(DownloadError) {
        var settings = settings ?? SettingsDocument()
        if let new {
            // A stored URL that is no longer valid has no origin.
            let old = try? SourceURL.parse(url).url
            let kept = OriginSecrets.kept(
                .init(
                    fields: settings[\.fields] ?? [],
                    credentials: settings[\.credentials] ?? nil,
                    referer: settings[\.connection.referer] ?? nil,
                    identity: ClientIdentity(
                        certificateFile: settings[\.connection.clientIdentity.certificateFile]
                            ?? nil,
                        keyFile: settings[\.connection.clientIdentity.keyFile] ?? nil,
                        keyPassword: settings[\.connection.clientIdentity.keyPassword] ?? nil
                    ),
                    authentication: settings[\.connection.authentication] ?? nil,
                    body: settings[\.body] ?? []
                ),
                from: old,
                to: try SourceURL.parse(new).url
            )
            settings[\.fields] = kept.fields.isEmpty ? nil : kept.fields
            settings[\.credentials] = kept.credentials.map { .some($0) }
            settings[\.connection.referer] = kept.referer.map { .some($0) }
            settings[\.connection.clientIdentity.certificateFile] =
                kept.identity.certificateFile.map { .some($0) }
            settings[\.connection.clientIdentity.keyFile] =
                kept.identity.keyFile.map { .some($0) }
            settings[\.connection.clientIdentity.keyPassword] =
                kept.identity.keyPassword.map { .some($0) }
            settings[\.connection.authentication] = kept.authentication.map { .some($0) }
            settings[\.body] = kept.body.isEmpty ? nil : kept.body
            url = new
        }
        self.settings = settings.merging(changes)
    }

    // MARK: - Checking

    /// A download that was checked before anything is changed.
    package struct Checked: Sendable {
        package var url: URL
        package var destination: Destination
        package var settings: DownloadSettings
        /// The name of the download until the server has supplied one.
        package var workingName: String
        package var resumeData: ResumeData?
    }

    /// The defaults for the daemon's downloads: they wait for the network, as no user is present.
    private static var usualSettings: DownloadSettings {
        var settings = DownloadSettings()
        settings.waitsForConnectivity = true
        return settings
    }

    /// The mirrors as they may be shown and stored; `nil` if there are none.
    package var shownMirrors: [String]? {
        guard let mirrors = settings?[\.mirrors], !mirrors.isEmpty else { return nil }
        return mirrors.map(\.redacted)
    }

    /// Checks the download.
    ///
    /// Throws `.usage`.
    package func checked() throws(DownloadError) -> Checked {
        let (address, credentials) = try checkedURL()
        try checkSession()
        if let label { try LabelName.check(label) }
        if let taskDescription { try Self.checkDescription(taskDescription) }
        if let storageKey { try Self.check(storageKey, "key") }
        guard confinedTo.map(ObjectAddress.isComplete) != false else {
            throw .usage("'confinedTo' is not an absolute path")
        }
        var settings = try (settings ?? SettingsDocument()).settings(over: Self.usualSettings)
        try settings.check()
        settings.credentials = settings.credentials ?? credentials
        let destination = try checkedDestination()
        if case .object = destination { try checkForObject(settings) }
        return Checked(
            url: address,
            destination: destination,
            settings: settings,
            workingName: destination.workingName(for: address),
            resumeData: try resumeData.map { (data) throws(DownloadError) in
                try ResumeData(data: data)
            }
        )
    }

    /// Checks the URL alone.
    ///
    /// Throws `.usage`.
    package func checkedURL() throws(DownloadError) -> (URL, Credentials?) {
        guard url.utf8.count <= Self.mostURLBytes else {
            throw .usage(
                "the URL has \(url.utf8.count) bytes, which is too long",
                advice: "use a URL of at most \(Self.mostURLBytes) bytes"
            )
        }
        return try SourceURL.parse(url)
    }

    /// Checks what cannot be given for a download that becomes an object.
    private func checkForObject(_ settings: DownloadSettings) throws(DownloadError) {
        try settings.checkForObject()
        let ofFiles = [
            ("resumeData", resumeData != nil), ("storageKey", storageKey != nil),
            ("replaces", replaces != nil),
        ]
        for (member, isGiven) in ofFiles where isGiven {
            throw .usage(
                "'\(member)' cannot be used for an object: it is about a file",
                advice: "leave it out, or save to a file"
            )
        }
    }

    /// Checks a description.
    ///
    /// Throws `.usage`.
    package static func checkDescription(_ text: String) throws(DownloadError) {
        try check(text, "description")
    }

    private static func check(_ text: String, _ what: String) throws(DownloadError) {
        guard text.utf8.count > mostDescriptionBytes else { return }
        throw .usage(
            "the \(what) has \(text.utf8.count) bytes, which is too long",
            advice: "give at most \(mostDescriptionBytes) bytes"
        )
    }

    private func checkSession() throws(DownloadError) {
        guard let session, !SessionName.isOne(session) else { return }
        throw SessionName.error(session)
    }

    /// Checks the destination.
    ///
    /// Throws `.usage` if a folder's path is given for a file.
    package func checkDestination() throws(DownloadError) {
        guard !ObjectAddress.isOne(destination),
            destination.pathFile == "." || destination.pathFile == ".."
        else { return }
        throw .usage(
            "'\(destination.sanitized(atMost: 100))' is a folder",
            advice: "to save into this folder, end the path with a slash"
        )
    }

    private func checkedDestination() throws(DownloadError) -> Destination {
        if ObjectAddress.isOne(destination) {
            return .object(try ObjectAddress.parse(destination))
        }
        guard destination.isAbsolutePath, !destination.utf8.contains(0),
            destination.utf8.count < 4096
        else {
            throw .usage(
                "'\(destination.sanitized(atMost: 100))' is not an absolute path",
                advice: "use /folder/name for a file, /folder/ for a folder, or s3://bucket/key"
            )
        }
        try checkDestination()
        return destination.isFolderPath ? .directory(destination) : .file(destination)
    }
}

/// Several downloads that are added together: all or none.
package struct NewDownloads: Codable, Sendable, Hashable, RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case downloads
    }

    package static let knownMembers = KnownMembers(
        CodingKeys.self,
        objects: [.downloads: NewDownload.knownMembers]
    )

    package var downloads: [NewDownload]

    package init(_ downloads: [NewDownload]) { self.downloads = downloads }
}
