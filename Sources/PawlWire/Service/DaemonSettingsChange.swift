package import PawlCore

/// What to change of a daemon's settings, as a JSON merge patch (RFC 7396): what is left out stays,
/// null puts back the default.
package struct DaemonSettingsChange: Codable, Sendable, Hashable {
    /// A new value, or the default again.
    package enum Change<Value: Codable & Sendable & Hashable>: Sendable, Hashable {
        case set(Value)
        case reset

        fileprivate var value: Value? { if case .set(let value) = self { value } else { nil } }
    }

    package var limitBytesPerSecond: Change<Int64>?
    package var timetable: Change<[WireLimitPeriod]>?
    package var maximumConcurrentDownloads: Change<Int>?
    package var connectionsPerHost: Change<Int>?
    package var usesMeteredNetwork: Change<Bool>?
    package var allowedFolders: Change<[String]>?
    package var allowsPrivateAddresses: Change<Bool>?
    package var listen: Change<String>?

    package init() {}

    /// The change that an option asks for; `nil` if it asks for none.
    package init?(listen choice: ListenChoice) {
        switch choice {
        case .remembered: return nil
        case .off: listen = .reset
        case .at(let address): listen = .set(address.text)
        }
    }

    package var isEmpty: Bool { self == DaemonSettingsChange() }

    private static let mostPeriods = 100

    /// Throws `.usage` where something cannot be.
    package func applied(to settings: DaemonSettings) throws(DownloadError) -> DaemonSettings {
        var settings = settings
        if let change = limitBytesPerSecond {
            if let limit = change.value { try WireLimitPeriod.check(limit) }
            settings.limitBytesPerSecond = change.value
        }
        if let change = timetable {
            let periods = change.value ?? []
            guard periods.count <= Self.mostPeriods else {
                throw DownloadError(
                    .usage,
                    "a timetable of \(periods.count) periods",
                    advice: "give \(Self.mostPeriods) at most"
                )
            }
            for period in periods { _ = try period.checked() }
            settings.timetable = periods.isEmpty ? nil : periods
        }
        if let change = maximumConcurrentDownloads {
            settings.maximumConcurrentDownloads = try Self.checked(
                change,
                in: 1...1000,
                "maximumConcurrentDownloads"
            )
        }
        if let change = connectionsPerHost {
            settings.connectionsPerHost = try Self.checked(
                change,
                in: 1...1000,
                "connectionsPerHost"
            )
        }
        if let change = usesMeteredNetwork { settings.usesMeteredNetwork = change.value }
        if let change = allowedFolders {
            for folder in change.value ?? [] { try Self.check(folder: folder) }
            settings.allowedFolders = change.value
        }
        if let change = allowsPrivateAddresses { settings.allowsPrivateAddresses = change.value }
        if let change = listen {
            settings.listen = try change.value.map { (text) throws(DownloadError) in
                try ListenAddress(parsing: text).text
            }
        }
        return settings
    }

    private static func check(folder: String) throws(DownloadError) {
        let names = folder.split(separator: "/")
        guard folder.hasPrefix("/"), !folder.holdsUnsafeToShow, folder.utf8.count < 4096,
            !names.contains(".."), !names.isEmpty
        else {
            throw DownloadError(
                .usage,
                "'\(folder.sanitized(atMost: 100))' is no absolute path of a folder",
                advice: "give it as /home/me/Downloads; not the whole system"
            )
        }
    }

    private static func checked(
        _ change: Change<Int>,
        in range: ClosedRange<Int>,
        _ name: String
    ) throws(DownloadError) -> Int? {
        guard let number = change.value, !range.contains(number) else { return change.value }
        throw DownloadError(
            .usage,
            "'\(name)' is \(number)",
            advice: "give a number from \(range.lowerBound) to \(range.upperBound)"
        )
    }
}

extension DaemonSettingsChange {
    private enum Key: String, CodingKey, CaseIterable {
        case limitBytesPerSecond, timetable, maximumConcurrentDownloads, connectionsPerHost
        case usesMeteredNetwork, allowedFolders, allowsPrivateAddresses, listen
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// A setting that is not known is an error: it would have been meant to change something.
    package init(from decoder: any Decoder) throws {
        for key in try decoder.container(keyedBy: AnyKey.self).allKeys
        where Key(stringValue: key.stringValue) == nil {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [],
                    debugDescription: "'\(key.stringValue.sanitized(atMost: 40))' is no setting "
                        + "(there are \(known))"
                )
            )
        }
        let values = try decoder.container(keyedBy: Key.self)
        limitBytesPerSecond = try Self.change(values, .limitBytesPerSecond)
        timetable = try Self.change(values, .timetable)
        maximumConcurrentDownloads = try Self.change(values, .maximumConcurrentDownloads)
        connectionsPerHost = try Self.change(values, .connectionsPerHost)
        usesMeteredNetwork = try Self.change(values, .usesMeteredNetwork)
        allowedFolders = try Self.change(values, .allowedFolders)
        allowsPrivateAddresses = try Self.change(values, .allowsPrivateAddresses)
        listen = try Self.change(values, .listen)
    }

    private static func change<Value>(
        _ values: KeyedDecodingContainer<Key>,
        _ key: Key
    ) throws -> Change<Value>? {
        guard values.contains(key) else { return nil }
        return try values.decodeIfPresent(Value.self, forKey: key).map { .set($0) } ?? .reset
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try Self.encode(limitBytesPerSecond, .limitBytesPerSecond, &values)
        try Self.encode(timetable, .timetable, &values)
        try Self.encode(maximumConcurrentDownloads, .maximumConcurrentDownloads, &values)
        try Self.encode(connectionsPerHost, .connectionsPerHost, &values)
        try Self.encode(usesMeteredNetwork, .usesMeteredNetwork, &values)
        try Self.encode(allowedFolders, .allowedFolders, &values)
        try Self.encode(allowsPrivateAddresses, .allowsPrivateAddresses, &values)
        try Self.encode(listen, .listen, &values)
    }

    private static func encode<Value>(
        _ change: Change<Value>?,
        _ key: Key,
        _ values: inout KeyedEncodingContainer<Key>
    ) throws {
        switch change {
        case .set(let value)?: try values.encode(value, forKey: key)
        case .reset?: try values.encodeNil(forKey: key)
        case nil: break
        }
    }
}
