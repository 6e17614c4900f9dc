package import struct FoundationEssentials.Data
package import struct FoundationEssentials.Date
package import struct FoundationEssentials.URL
package import PawlCore

/// A download to be added.
///
/// It may hold secrets, so it goes one way only: no answer of the daemon holds one.
package struct NewDownload: Codable, Sendable, Hashable {
    /// May have a user and a password in it.
    package var url: String
    /// The absolute path of a file or, where it ends in a slash, of a folder.
    package var destination: String
    package var settings: SettingsDocument<DownloadSettings>?
    package var priority: WirePriority?
    package var session: String?
    package var notBefore: Date?
    /// Added, and not begun before it is resumed.
    package var isPaused: Bool?
    /// What a background session's process calls it; unique within the session.
    package var taskIdentifier: Int64?
    package var taskDescription: String?
    /// With what it goes on.
    package var resumeData: Data?
    /// A folder that nothing of it may leave; then it may not go to private addresses either, unless
    /// the settings allow that.
    package var confinedTo: String?

    package init(
        url: String,
        destination: String,
        settings: SettingsDocument<DownloadSettings>? = nil
    ) {
        self.url = url
        self.destination = destination
        self.settings = settings
    }
}

/// Several downloads, which are added all or none.
package struct NewDownloads: Codable, Sendable, Hashable {
    package var downloads: [NewDownload]

    package init(_ downloads: [NewDownload]) { self.downloads = downloads }
}

extension NewDownload {
    private static let mostURLBytes = 32 << 10
    private static let mostDescriptionBytes = 64 << 10

    /// Looked at before anything is touched.
    package struct Checked: Sendable {
        package var url: URL
        package var destination: Destination
        package var settings: DownloadSettings
        /// What the download is called until the server has named it.
        package var workingName: String
        package var resumeData: ResumeData?
    }

    /// A download of the daemon waits for the network: no user sits in front of it.
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

    /// Throws `.usage`.
    package func checked() throws(DownloadError) -> Checked {
        guard url.utf8.count <= Self.mostURLBytes else {
            throw DownloadError(.usage, "a URL of \(url.utf8.count) bytes", advice: "shorten it")
        }
        let (address, credentials) = try SourceURL.parse(url)
        try checkSession()
        if let taskDescription { try Self.checkDescription(taskDescription) }
        guard confinedTo?.hasPrefix("/") != false else {
            throw DownloadError(.usage, "'confinedTo' is no absolute path")
        }
        var settings = try (settings ?? SettingsDocument()).settings(over: Self.usualSettings)
        try settings.check()
        settings.credentials = settings.credentials ?? credentials
        let place = try checkedDestination()
        return Checked(
            url: address,
            destination: place,
            settings: settings,
            workingName: place.workingName(for: address),
            resumeData: try resumeData.map { (data) throws(DownloadError) in
                try ResumeData(data: data)
            }
        )
    }

    /// Throws `.usage`.
    package static func checkDescription(_ text: String) throws(DownloadError) {
        guard text.utf8.count > mostDescriptionBytes else { return }
        throw DownloadError(
            .usage,
            "a description of \(text.utf8.count) bytes",
            advice: "give \(mostDescriptionBytes) at most"
        )
    }

    private func checkSession() throws(DownloadError) {
        guard let session, !SessionName.isOne(session) else { return }
        throw SessionName.error(session)
    }

    /// Throws `.usage` for a file that has the name of a folder.
    package func checkDestination() throws(DownloadError) {
        guard let last = destination.split(separator: "/").last, !destination.hasSuffix("/"),
            last == "." || last == ".."
        else { return }
        throw DownloadError(
            .usage,
            "'\(destination.sanitized(atMost: 100))' is a folder's path",
            advice: "end it with a slash"
        )
    }

    private func checkedDestination() throws(DownloadError) -> Destination {
        guard destination.hasPrefix("/"), !destination.utf8.contains(0),
            destination.utf8.count < 4096
        else {
            throw DownloadError(
                .usage,
                "'\(destination.sanitized(atMost: 100))' is no absolute path",
                advice: "give a file's as /folder/name, or a folder's with a slash at its end"
            )
        }
        try checkDestination()
        return destination.hasSuffix("/") ? .directory(destination) : .file(destination)
    }
}
