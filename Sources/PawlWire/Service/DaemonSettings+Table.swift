internal import struct FoundationEssentials.URL
package import PawlCore

/// The changes to a daemon's settings as a JSON merge patch (RFC 7396): omitted values stay as they
/// are, and null restores the default.
package typealias DaemonSettingsChange = SettingsDocument<DaemonSettings>

extension SettingsDocument where Root == DaemonSettings {
    /// The change of the listeners that options ask for.
    package init(listen: ListenChoice, aria2: ListenChoice) {
        self.init()
        // `off` is also a change.
        if let address = listen.address { self[\.listen] = .some(address?.text) }
        if let address = aria2.address { self[\.aria2Listen] = .some(address?.text) }
    }
}

extension DaemonSettings: TabledSettings {
    /// Where settings that restrict programs can be given: programs cannot change them.
    private static let bounds: SettingEntries = [.command, .socket]

    /// Each setting of the daemon.
    ///
    /// A new one needs its property, a row here, its option in the command, and its effect.
    package static let table = SettingTable<DaemonSettings>(
        queueSettings + hookSettings + [Setting.moving(\.moveRules, entries: bounds)]
            + networkSettings + tlsSettings + proxySettings
    )

    private static let hookSettings: [Setting<DaemonSettings>] = Setting.hooks(
        \.hooks.onStart,
        \.hooks.onComplete,
        \.hooks.onError,
        \.hooks.webhook,
        \.hooks.notifies,
        \.hooks.unpacks,
        entries: bounds
    )

    private static let queueSettings: [Setting<DaemonSettings>] = [
        Setting(
            "limit",
            member: "limitBytesPerSecond",
            \.limitBytesPerSecond,
            .limit,
            entries: [.command, .socket, .network],
            isChangeable: true,
            field: SettingField("Total speed limit", placeholder: "No limit"),
            help: """
                Maximum speed of all downloads together, in bytes per second: off, or 500K, \
                1.5M or 1G, where K is 1024.
                """,
            about: "Maximum bytes per second of all downloads together; 0 means no limit."
        ),
        Setting(
            "timetable",
            member: "timetable",
            \.timetable,
            .timetable,
            entries: [.command, .socket, .network],
            isChangeable: true,
            help: """
                Limits by local time, such as '22:00-07:00 unlimited, mon-fri 07:00-22:00 2M'. \
                Outside these periods, <rate> applies. off removes the timetable.
                """,
            about: """
                Limits by local time. The first period that matches applies; outside all \
                periods, `limitBytesPerSecond` applies.
                """
        ),
        Setting(
            "jobs",
            letter: "j",
            member: "maximumConcurrentDownloads",
            \.maximumConcurrentDownloads,
            .count(1...1000),
            entries: [.command, .socket, .network],
            isChangeable: true,
            field: SettingField("Simultaneous downloads"),
            help: "Simultaneous downloads, 1 to 1000. Default: {default}."
        ),
        Setting(
            "per-host",
            member: "connectionsPerHost",
            \.connectionsPerHost,
            .count(1...1000),
            entries: [.command, .socket, .network],
            isChangeable: true,
            field: SettingField("Connections per host"),
            help: """
                Maximum number of connections per host, for all downloads together, 1 to 1000. \
                Default: {default}.
                """
        ),
        Setting(
            "metered",
            member: "usesMeteredNetwork",
            \.usesMeteredNetwork,
            .words("use", "wait"),
            entries: [.command, .socket, .network],
            isChangeable: true,
            field: SettingField("Download on metered networks"),
            help: """
                What to do while NetworkManager reports a metered network: use it, or wait. \
                Default: use.
                """,
            about: "Whether to download on metered networks. Default: {default}."
        ),
        Setting(
            "history",
            member: "historyCount",
            \.historyCount,
            .count(0...10_000_000),
            entries: [.command, .socket, .network],
            isChangeable: true,
            field: SettingField("Ended downloads to keep"),
            help: """
                Keep at most this many ended downloads in the list, 0 to 10000000; their files \
                stay. Default: {default}.
                """
        ),
        Setting(
            "history-days",
            member: "historyDays",
            \.historyDays,
            .count(1...36_500),
            entries: [.command, .socket, .network],
            isChangeable: true,
            field: SettingField("Days to keep ended downloads"),
            help: """
                Keep ended downloads in the list for this many days, 1 to 36500. Default: {default}.
                """
        ),
    ]

    private static let networkSettings: [Setting<DaemonSettings>] = [
        Setting(
            "folder",
            member: "allowedFolders",
            \.allowedFolders,
            .folders,
            valueName: "dir",
            entries: bounds,
            isChangeable: true,
            help: """
                Allow this folder, or folder of a bucket (s3://bucket/folder/), instead of the \
                folders allowed so far. May be given several times. Default: your downloads folder.
                """,
            about: """
                The folders for downloads that are added over TCP; folders of buckets as \
                `s3://bucket/folder/`. Default: the user's downloads folder.
                """
        ),
        Setting(
            "private-addresses",
            member: "allowsPrivateAddresses",
            \.allowsPrivateAddresses,
            .words("yes", "no"),
            entries: bounds,
            isChangeable: true,
            help: "Whether to allow connections to this machine and private networks. Default: no.",
            about: """
                Whether downloads that are added over TCP may connect to this machine and \
                private networks. Default: {default}.
                """
        ),
        Setting(
            "listen",
            member: "listen",
            \.listen,
            .listen(port: ListenAddress.standardPort),
            entries: bounds,
            isChangeable: true,
            help: """
                Also listen on this TCP address, 127.0.0.1 or [::1], with an optional port. With \
                --tls-cert, it may be any address of this machine, such as 0.0.0.0 for all. \
                Default port: 6880. off stops listening. The daemon remembers this setting.
                """,
            about: "The address at which the daemon listens for TCP, such as 127.0.0.1:6880."
        ),
        Setting(
            "aria2-rpc",
            member: "aria2Listen",
            \.aria2Listen,
            .listen(port: ListenAddress.aria2Port),
            entries: bounds,
            isChangeable: true,
            help: """
                Also answer clients of aria2 on this TCP address, 127.0.0.1 or [::1], with an \
                optional port. With --tls-cert, it may be any address of this machine, such as \
                0.0.0.0 for all. Without an address, it is 127.0.0.1:6800. Clients send a token \
                (pawl daemon token) as aria2's secret. off stops listening. The daemon remembers \
                this setting.
                """,
            about:
                "The address at which the daemon answers clients of aria2, such as 127.0.0.1:6800."
        ),
    ]

    private static let tlsSettings: [Setting<DaemonSettings>] = [
        Setting(
            "tls-cert",
            member: "tlsCertificate",
            \.tlsCertificate,
            .fileOrOff,
            entries: bounds,
            isChangeable: true,
            help: """
                Use TLS at the addresses of --listen and --aria2-rpc, with the certificate in this \
                PEM file. The file may also contain the certificates of its authorities, and the \
                key. The daemon reads the file again when it changes. off turns TLS off. The daemon \
                remembers this setting.
                """,
            about: """
                The path of the PEM file with the certificate for TLS, and those of its \
                authorities. Default: no TLS.
                """
        ),
        Setting(
            "tls-key",
            member: "tlsKey",
            \.tlsKey,
            .fileOrOff,
            entries: bounds,
            isChangeable: true,
            help: """
                The PEM file with the key of --tls-cert, without a password. Other users must not \
                be able to read it. Give it together with --tls-cert. Default: the file of \
                --tls-cert. The daemon remembers this setting.
                """,
            about: """
                The path of the PEM file with the key of the certificate. Default: the file of the \
                certificate, even if a change sets only `tlsCertificate`.
                """
        ),
    ]

    private static let proxySettings: [Setting<DaemonSettings>] = [
        Setting(
            "base-url",
            member: "baseURL",
            \.baseURL,
            .baseURL,
            entries: bounds,
            isChangeable: true,
            help: """
                The URL under which a reverse proxy serves the daemon, such as \
                https://host.example/downloads/. off removes it. The daemon remembers this setting.
                """,
            about: """
                The URL under which a reverse proxy serves the daemon, such as \
                https://host.example/downloads/.
                """
        ),
        Setting(
            "trusted-proxy",
            member: "trustedProxies",
            \.trustedProxies,
            .proxies,
            valueName: "address",
            entries: bounds,
            isChangeable: true,
            help: """
                Trust what this proxy, such as 127.0.0.1 or 10.0.0.0/8, reports about its clients: \
                X-Forwarded-For, -Proto and -Host, or Forwarded. Replaces the proxies given so \
                far. May be given several times. off trusts none, which is the default. The daemon \
                remembers this setting.
                """,
            about: """
                The proxies whose header fields X-Forwarded-For, X-Forwarded-Proto, \
                X-Forwarded-Host and Forwarded are trusted. Default: none.
                """
        ),
    ]
}

extension SettingForm where Value == [WireLimitPeriod] {
    private static let mostPeriods = 100

    fileprivate static let timetable = SettingForm(
        schema: [
            "type": "array", "items": ["$ref": "#/components/schemas/LimitPeriod"],
            "maxItems": .number(mostPeriods),
        ],
        innerMembers: ["days", "from", "to", "limitBytesPerSecond"],
        valueName: "periods",
        parse: { (text) throws(ValueError) in
            text.lowercased() == "off" ? [] : try TimetableText.parse(text)
        },
        decode: { (value) throws(ValueError) in
            guard case .list(let items) = value else {
                throw ValueError("'\(value.brief)' is not a list", advice: "give a list of periods")
            }
            guard items.count <= mostPeriods else {
                throw ValueError(
                    "\(items.count) periods are too many",
                    advice: "give at most \(mostPeriods)"
                )
            }
            var periods: [WireLimitPeriod] = []
            for item in items { periods.append(try WireLimitPeriod(item)) }
            return periods
        },
        encode: { .list($0.map(\.json)) }
    )
}

extension WireLimitPeriod {
    fileprivate init(_ value: JSONValue) throws(ValueError) {
        guard case .text(let from)? = value["from"], case .text(let to)? = value["to"] else {
            throw ValueError(
                "a period has no 'from' or no 'to'",
                advice: "give both as times such as 22:00"
            )
        }
        self.init(from: from, to: to, limitBytesPerSecond: nil)
        if let days = value["days"] {
            guard case .list(let names) = days else {
                throw ValueError("'days' is not a list", advice: "give mon to sun")
            }
            self.days = names.map { if case .text(let name) = $0 { name } else { "" } }
        }
        if let limit = value["limitBytesPerSecond"], limit != .null {
            limitBytesPerSecond = try SettingForm<Int64?>.limit.decode(limit)
        }
        do throws(DownloadError) {
            _ = try checked()
        } catch {
            throw ValueError(error.message, advice: error.guidance)
        }
    }

    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] = []
        if let days { members.append(("days", .list(days.map { .text($0) }))) }
        members.append(("from", .text(from)))
        if let limit = limitBytesPerSecond {
            members.append(("limitBytesPerSecond", .number(Int(limit))))
        }
        return .object(members + [("to", .text(to))])
    }
}

extension SettingForm where Value == [String]? {
    /// Absolute paths; `nil` is null.
    fileprivate static let folders = SettingForm(
        schema: ["type": "array", "items": ["type": "string"]],
        valueName: "dir",
        parse: { (text) throws(ValueError) in [try folder(text)] },
        join: { ($0 ?? []) + ($1 ?? []) },
        decode: { (value) throws(ValueError) in
            guard case .list(let items) = value else {
                throw ValueError("'\(value.brief)' is not a list", advice: "give a list of folders")
            }
            var folders: [String] = []
            for item in items {
                guard case .text(let path) = item else {
                    throw ValueError("'\(item.brief)' is not a path", advice: "use a string")
                }
                folders.append(try folder(path))
            }
            return folders
        },
        encode: { $0.map { .list($0.map { .text($0) }) } ?? .null }
    )

    private static func folder(_ path: String) throws(ValueError) -> String {
        if ObjectAddress.isOne(path) {
            do throws(DownloadError) {
                return try ObjectAddress.parse(path.asFolderPath).absoluteString
            } catch {
                throw ValueError(error.message, advice: error.guidance)
            }
        }
        let names = path.pathNames
        guard path.isAbsolutePath, !path.holdsUnsafeToShow, path.utf8.count < 4096,
            !names.contains(".."), !names.isEmpty
        else {
            throw ValueError(
                "'\(path.sanitized(atMost: 100))' is not an allowed path",
                advice: "use an absolute path such as /home/me/Downloads"
            )
        }
        return path
    }
}

extension SettingForm where Value == String? {
    /// An address of this machine, or `off`.
    ///
    /// `port`: the port if the text has none.
    fileprivate static func listen(port: UInt16) -> SettingForm {
        SettingForm(
            schema: ["type": "string", "examples": [.text(ListenAddress(port: port).text)]],
            valueName: "address",
            parse: { (text) throws(ValueError) in
                text.lowercased() == "off" ? nil : try address(text, port)
            },
            decode: { (value) throws(ValueError) in
                guard case .text(let text) = value else {
                    throw ValueError("invalid address '\(value.brief)'", advice: "use a string")
                }
                return try address(text, port)
            },
            encode: { $0.map { .text($0) } ?? .null }
        )
    }

    /// The URL of a reverse proxy, or `off`.
    fileprivate static let baseURL = SettingForm(
        schema: ["type": "string", "examples": ["https://host.example/downloads/"]],
        valueName: "url",
        parse: { (text) throws(ValueError) in
            text.lowercased() == "off" ? nil : try BaseURL(parsing: text).text
        },
        decode: { (value) throws(ValueError) in
            guard case .text(let text) = value else {
                throw ValueError("invalid URL '\(value.brief)'", advice: "use a string")
            }
            return try BaseURL(parsing: text).text
        },
        encode: { $0.map { .text($0) } ?? .null }
    )

    /// The absolute path of a file, or `off`.
    fileprivate static let fileOrOff: SettingForm = {
        let file = SettingForm<String>.file
        return SettingForm(
            schema: file.schema,
            valueName: "file",
            parse: { (text) throws(ValueError) in
                text.lowercased() == "off" ? nil : try file.decode(.text(text))
            },
            decode: { (value) throws(ValueError) in try file.decode(value) },
            encode: { $0.map { .text($0) } ?? .null }
        )
    }()

    private static func address(
        _ text: String,
        _ port: UInt16
    ) throws(ValueError) -> String {
        do throws(DownloadError) {
            return try ListenAddress(parsing: text, port: port).text
        } catch {
            throw ValueError(error.message, advice: error.guidance)
        }
    }
}

extension SettingForm where Value == [String] {
    private static let mostProxies = 100

    /// The addresses of proxies.
    fileprivate static let proxies = SettingForm(
        schema: [
            "type": "array", "items": ["type": "string"], "maxItems": .number(mostProxies),
        ],
        valueName: "address",
        parse: { (text) throws(ValueError) in
            text.lowercased() == "off" ? [] : [try proxy(text)]
        },
        join: { $0 + $1 },
        decode: { (value) throws(ValueError) in
            guard case .list(let items) = value, items.count <= mostProxies else {
                throw ValueError(
                    "'\(value.brief)' is not a list of at most \(mostProxies) addresses",
                    advice: "give a list of addresses"
                )
            }
            var proxies: [String] = []
            for item in items {
                guard case .text(let text) = item else {
                    throw ValueError("'\(item.brief)' is not an address", advice: "use a string")
                }
                proxies.append(try proxy(text))
            }
            return proxies
        },
        encode: { .list($0.map { .text($0) }) }
    )

    private static func proxy(_ text: String) throws(ValueError) -> String {
        guard AddressRange(text) != nil else {
            throw ValueError(
                "'\(text.sanitized(atMost: 100))' is not an address",
                advice: "give one such as 127.0.0.1, ::1 or 10.0.0.0/8"
            )
        }
        return text
    }
}
