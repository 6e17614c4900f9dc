internal import PawlCore
internal import PawlWire

/// A download that the browser extension hands over.
///
/// It has only what a browser sends with a request. Where the file is saved, and all settings, are
/// not the extension's to decide.
struct BrowserDownload: RequestObject {
    private enum CodingKeys: CodingKey, CaseIterable {
        case url, referrer, userAgent, cookies, fileName
    }

    static let knownMembers = KnownMembers(CodingKeys.self)

    var url: String
    var referrer: String?
    var userAgent: String?
    /// The value of the `Cookie` field.
    var cookies: String?
    /// The name that the browser would give the file.
    var fileName: String?

    private static let schemes: Set<URLScheme> = [.http, .https, .ftp, .ftpes, .ftps, .sftp]

    /// The download as the daemon adds it: confined to a folder, so that it has no more rights than
    /// one that is added over TCP.
    ///
    /// The daemon checks all values. Throws `.usage` for a URL of another scheme.
    ///
    /// `folder`: `nil` for the first one that a daemon over TCP allows, which confines the download
    /// itself.
    func newDownload(in folder: String?) throws(DownloadError) -> NewDownload {
        guard let scheme = URLScheme(of: AddressParts(url.trimmed).scheme),
            Self.schemes.contains(scheme)
        else {
            throw .usage(
                "the browser extension may not add a URL of this scheme",
                advice: "use pawl add"
            )
        }
        var settings = SettingsDocument<DownloadSettings>()
        settings[member: "referer"] = referrer.map(JSONValue.text)
        settings[member: "userAgent"] = userAgent.map(JSONValue.text)
        if let cookies {
            // A secret field: only the origin of the URL receives it, and no response contains it.
            settings[\.fields] = [HTTPField(name: "Cookie", value: cookies)]
        }
        let name = fileName.flatMap(FileName.clean) ?? ""
        var download = NewDownload(
            url: url,
            destination: (folder?.asFolderPath ?? "") + name,
            settings: settings.isEmpty ? nil : settings
        )
        download.confinedTo = folder
        return download
    }
}
