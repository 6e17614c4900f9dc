package import PawlCore

/// The settings of a daemon's whole queue, which are stored and can change while downloads run.
package struct DaemonSettings: Sendable, Hashable {
    /// The maximum speed of all downloads together; `nil`, the default, means no limit.
    package var limitBytesPerSecond: Int64?
    /// Limits by the time of day: the first matching period applies, otherwise
    /// `limitBytesPerSecond`.
    package var timetable: [WireLimitPeriod] = []
    /// The maximum number of downloads that run at the same time.
    package var maximumConcurrentDownloads = 5
    /// The maximum number of connections per host, across all downloads.
    package var connectionsPerHost = 16
    /// Whether a network that is paid by the byte may be used; otherwise all downloads wait there.
    package var usesMeteredNetwork = true
    /// The maximum number of ended downloads that stay in the list.
    package var historyCount = 10_000
    /// The number of days for which ended downloads stay in the list.
    package var historyDays = 90
    /// What happens when a download starts, finishes or fails whose own settings do not determine it.
    package var hooks = DownloadHooks()
    /// The rules that move finished files to other folders.
    package var moveRules: [MoveRule] = []
    /// The folders for downloads that are added over TCP; `nil` is the user's folder for downloads.
    package var allowedFolders: [String]?
    /// Whether downloads that are added over TCP may use private addresses.
    package var allowsPrivateAddresses = false
    /// Where the daemon listens for TCP, such as `127.0.0.1:6880`; `nil` is nowhere.
    package var listen: String?
    /// The file of the certificate with which the daemon listens for TLS, also for clients of aria2;
    /// `nil` without TLS.
    package var tlsCertificate: String?
    /// The file of the certificate's key; `nil` if it is in the certificate's file.
    package var tlsKey: String?
    /// Where the daemon answers clients of aria2, such as `127.0.0.1:6800`; `nil` is nowhere.
    package var aria2Listen: String?
    /// The URL under which a reverse proxy serves the daemon; `nil` without one.
    package var baseURL: String?
    /// The addresses of the proxies whose fields about the client count, such as `127.0.0.1` or
    /// `10.0.0.0/8`.
    package var trustedProxies: [String] = []
    /// The limit that applies at this moment; only in responses.
    package var current: WireCurrentLimit?

    package init() {}

    /// Takes the settings that concern one machine from others: its listeners, their certificate and
    /// their proxies.
    package mutating func takeSettingsOfMachine(from other: DaemonSettings) {
        (listen, aria2Listen) = (other.listen, other.aria2Listen)
        (tlsCertificate, tlsKey) = (other.tlsCertificate, other.tlsKey)
        (baseURL, trustedProxies) = (other.baseURL, other.trustedProxies)
    }

    /// The address where the daemon listens for TCP; `nil` also if the stored address is not valid,
    /// which may happen in a store of another version.
    package var listenAddress: ListenAddress? {
        listen.flatMap { try? ListenAddress(parsing: $0) }
    }

    /// The address where the daemon answers clients of aria2; `nil` also if the stored address is
    /// not valid.
    package var aria2Address: ListenAddress? {
        aria2Listen.flatMap { try? ListenAddress(parsing: $0) }
    }

    /// The timetable, without periods that are not valid, which may occur in a store of another
    /// version.
    package var rateTimetable: RateLimitTimetable {
        RateLimitTimetable(timetable.compactMap { try? $0.checked() })
    }
}

/// All settings that have a value, with their defaults, and the limit that applies.
extension DaemonSettings: Codable {
    private enum CodingKeys: String, CodingKey {
        case current
    }

    /// Ignores values that are not valid, which another version may have stored.
    package init(from decoder: any Decoder) throws {
        self = try SettingsDocument<DaemonSettings>(from: decoder).validSettings
        let members = try decoder.container(keyedBy: CodingKeys.self)
        current = try members.decodeIfPresent(WireCurrentLimit.self, forKey: .current)
    }

    package func encode(to encoder: any Encoder) throws {
        try SettingsDocument(all: self).encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(current, forKey: .current)
    }
}
