package import PawlCore

/// An option of aria2 for a download, and the setting that has its effect.
///
/// Options that are not in the table have no effect, as in aria2 options that it does not know.
package struct Aria2Option: Sendable {
    package let name: String
    /// The name of the setting in `DownloadSettings.table`.
    package let setting: String
    /// Converts a value of the option to the text of the setting; `nil` if it has no effect.
    ///
    /// It returns an empty text for an invalid value.
    package let text: @Sendable (String) -> String?
    /// Converts the value of the setting in JSON to a value of the option; `nil` if there is none.
    package let value: @Sendable (JSONValue) -> String?

    private init(
        _ name: String,
        _ setting: String,
        text: @escaping @Sendable (String) -> String? = { $0 },
        value: @escaping @Sendable (JSONValue) -> String? = plain
    ) {
        (self.name, self.setting, self.text, self.value) = (name, setting, text, value)
    }

    package static let all: [Aria2Option] = transfers + requests + files

    package static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// The names of those that name a file or a network interface: they are refused over TCP.
    package static let ofFiles: Set = [
        "load-cookies", "ca-certificate", "certificate", "private-key", "netrc-path", "interface",
    ]

    /// The options for all downloads together, and the settings in `DaemonSettings.table` that have
    /// their effect.
    package static let ofDaemon = [
        "max-concurrent-downloads": "jobs", "max-overall-download-limit": "limit",
    ]

    private static let transfers: [Aria2Option] = [
        Aria2Option("split", "connections", text: connections),
        Aria2Option("max-connection-per-server", "connections", text: connections),
        Aria2Option("max-download-limit", "limit", value: { plain($0) ?? "0" }),
        Aria2Option("lowest-speed-limit", "min-speed", value: { plain($0) ?? "0" }),
        // aria2 counts the first try; 0 means no limit.
        Aria2Option(
            "max-tries",
            "retries",
            text: { text in
                guard let tries = Int(text), tries >= 0 else { return "" }
                return tries == 0 ? "1000000" : "\(min(tries - 1, 1_000_000))"
            },
            value: { value in
                guard case .number(let retries) = value else { return nil }
                return retries < 1_000_000 ? "\(retries + 1)" : "0"
            }
        ),
        Aria2Option("timeout", "stall-timeout"),
        Aria2Option("connect-timeout", "connect-timeout"),
        Aria2Option("checksum", "checksum", value: checksum),
    ]

    private static let requests: [Aria2Option] = [
        Aria2Option("header", "header", value: { _ in nil }),
        Aria2Option("user-agent", "user-agent"),
        // `*` stands for the URL itself.
        Aria2Option(
            "referer",
            "referer",
            text: { $0 == "*" || $0.isEmpty ? nil : $0 },
            value: { _ in nil }
        ),
        Aria2Option("all-proxy", "proxy", text: proxy, value: { _ in nil }),
        Aria2Option("http-proxy", "proxy", text: proxy, value: { _ in nil }),
        Aria2Option("https-proxy", "proxy", text: proxy, value: { _ in nil }),
        Aria2Option("check-certificate", "insecure", text: opposite, value: oppositeValue),
        Aria2Option("http-accept-gzip", "compressed", value: truth),
    ]

    private static let files: [Aria2Option] = [
        Aria2Option("remote-time", "remote-time", value: truth),
        Aria2Option("load-cookies", "cookies", text: nonempty, value: { _ in nil }),
        Aria2Option("ca-certificate", "cacert", text: nonempty, value: { _ in nil }),
        Aria2Option("certificate", "cert", text: nonempty, value: { _ in nil }),
        Aria2Option("private-key", "key", text: nonempty, value: { _ in nil }),
        Aria2Option("netrc-path", "netrc", text: nonempty, value: { _ in nil }),
        Aria2Option("interface", "interface", text: nonempty, value: { _ in nil }),
    ]

    // MARK: - Forms

    private static func plain(_ value: JSONValue) -> String? {
        switch value {
        case .text(let text): text
        case .number(let number): "\(number)"
        case .decimal(let number): "\(number)"
        default: nil
        }
    }

    @Sendable private static func nonempty(_ text: String) -> String? { text.isEmpty ? nil : text }

    /// aria2 allows more connections than Pawl.
    @Sendable private static func connections(_ text: String) -> String? {
        guard let number = Int(text), number > 0 else { return "" }
        return "\(min(number, 64))"
    }

    /// aria2 accepts a proxy without a scheme.
    @Sendable private static func proxy(_ text: String) -> String? {
        guard !text.isEmpty else { return nil }
        return text.contains("://") ? text : "http://\(text)"
    }

    @Sendable private static func opposite(_ text: String) -> String? {
        switch text {
        case "true": "false"
        case "false": "true"
        default: ""
        }
    }

    @Sendable private static func truth(_ value: JSONValue) -> String? {
        if case .truth(let truth) = value { "\(truth)" } else { nil }
    }

    @Sendable private static func oppositeValue(_ value: JSONValue) -> String? {
        if case .truth(let truth) = value { "\(!truth)" } else { nil }
    }

    /// Writes `sha256=…` as aria2 does: `sha-256=…`.
    @Sendable private static func checksum(_ value: JSONValue) -> String? {
        guard case .text(let text) = value, text.contains("=") else { return nil }
        return text.hasPrefix("sha") && !text.hasPrefix("sha-") ? "sha-\(text.dropFirst(3))" : text
    }
}
