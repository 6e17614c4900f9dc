internal import Glibc
internal import Pawl
internal import PawlCore

/// A browser that can start the native host.
enum Browser: String, CaseIterable, Sendable {
    case chromium, chrome, brave, edge, firefox

    /// The browser with a name that the user has typed.
    ///
    /// Throws `.usage`.
    init(typed text: String) throws(DownloadError) {
        guard let browser = Browser(rawValue: text.lowercased()) else {
            throw .usage(
                "unknown browser '\(text.sanitized(atMost: 40))'",
                advice: "use \(Self.allCases.map(\.rawValue).alternatives)"
            )
        }
        self = browser
    }

    /// Whether the user has used the browser: it has a folder.
    func isUsed(in surroundings: ServiceSurroundings) -> Bool {
        var folders = [folder(in: surroundings)]
        // Firefox keeps new profiles there, but looks for native hosts in `~/.mozilla` only.
        if self == .firefox { folders.append("\(surroundings.configurationFolder)/mozilla") }
        return folders.contains { access($0, F_OK) == 0 }
    }

    /// The folder in which the browser looks for the manifests of native hosts.
    func hostFolder(in surroundings: ServiceSurroundings) -> String {
        let name = self == .firefox ? "native-messaging-hosts" : "NativeMessagingHosts"
        return "\(folder(in: surroundings))/\(name)"
    }

    private func folder(in surroundings: ServiceSurroundings) -> String {
        let configuration = surroundings.configurationFolder
        return switch self {
        case .chromium: "\(configuration)/chromium"
        case .chrome: "\(configuration)/google-chrome"
        case .brave: "\(configuration)/BraveSoftware/Brave-Browser"
        case .edge: "\(configuration)/microsoft-edge"
        case .firefox: "\(surroundings.home)/.mozilla"
        }
    }
}
