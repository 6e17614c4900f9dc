package import PawlCore
internal import struct FoundationEssentials.URL

/// How a download is done: what differs from the defaults of `DownloadSettings`.
package struct WireSettings: Codable, Sendable, Hashable {
    /// A header field.
    package struct Field: Codable, Sendable, Hashable {
        package var name: String
        package var value: String
        /// Whether it is sent to other origins, too; nil is no.
        package var anyOrigin: Bool?

        package init(name: String, value: String, anyOrigin: Bool? = nil) {
            (self.name, self.value, self.anyOrigin) = (name, value, anyOrigin)
        }

        package init(_ field: HTTPField) {
            self.init(
                name: field.name,
                value: field.value,
                anyOrigin: field.isForAnyOrigin ? true : nil
            )
        }
    }

    /// A name and password.
    package struct SignIn: Codable, Sendable, Hashable {
        package var name: String
        package var password: String

        package init(name: String, password: String) {
            (self.name, self.password) = (name, password)
        }
    }

    package var mirrors: [String]?
    package var fields: [Field]?
    package var credentials: SignIn?
    package var userAgent: String?
    /// `sha256=…`, or `none`.
    package var checksum: String?
    package var connections: Int?
    package var ifExists: ExistingFilePolicy?
    package var retries: Int?
    /// The longest wait that a server may ask for.
    package var maximumRetryAfterSeconds: Double?
    package var connectTimeoutSeconds: Double?
    package var stallTimeoutSeconds: Double?
    package var maximumSeconds: Double?
    package var minimumBytesPerSecond: Int64?
    package var limitBytesPerSecond: Int64?
    package var allowsUntrustedCertificates: Bool?
    package var authoritiesFile: String?
    package var resumes: Bool?
    package var resumesWithoutValidator: Bool?
    package var adoptsPartialFile: Bool?
    package var allowsExpensiveNetwork: Bool?
    package var allowsInsecureRedirects: Bool?

    package init() {}

    package init(_ settings: DownloadSettings) {
        let usual = DownloadSettings()
        mirrors = settings.mirrors.isEmpty ? nil : settings.mirrors.map(\.absoluteString)
        fields =
            settings.fields.isEmpty
            ? nil
            : settings.fields.map { Field($0) }
        credentials = settings.credentials.map { SignIn(name: $0.name, password: $0.password) }
        let agent = settings.connection.userAgent
        userAgent = agent == usual.connection.userAgent ? nil : agent
        checksum =
            switch settings.checksum {
            case .automatic: nil
            case .none: "none"
            case .digest(let digest): digest.description
            }
        if case .fixed(let count) = settings.connections { connections = count }
        ifExists = settings.ifExists == usual.ifExists ? nil : settings.ifExists
        retries = settings.retries == usual.retries ? nil : settings.retries
        let patience = settings.maximumRetryAfter
        maximumRetryAfterSeconds =
            patience == usual.maximumRetryAfter ? nil : patience.seconds
        let connect = settings.connection.connectTimeout
        connectTimeoutSeconds =
            connect == usual.connection.connectTimeout ? nil : connect.seconds
        stallTimeoutSeconds =
            settings.stallTimeout == usual.stallTimeout ? nil : settings.stallTimeout.seconds
        maximumSeconds = settings.maximumDuration?.seconds
        let least = settings.minimumBytesPerSecond
        minimumBytesPerSecond = least == 0 ? nil : least
        limitBytesPerSecond = settings.limitBytesPerSecond
        authoritiesFile = settings.connection.authoritiesFile
        allowsUntrustedCertificates =
            Self.changed(settings.connection.allowsUntrustedCertificates, from: false)
        resumes = Self.changed(settings.resumes, from: true)
        resumesWithoutValidator = Self.changed(settings.resumesWithoutValidator, from: true)
        adoptsPartialFile = Self.changed(settings.adoptsPartialFile, from: false)
        allowsExpensiveNetwork = Self.changed(settings.allowsExpensiveNetwork, from: true)
        allowsInsecureRedirects = Self.changed(settings.allowsInsecureRedirects, from: false)
    }

    /// The mirrors as they may be shown and stored; nil where there are none.
    package var shownMirrors: [String]? {
        guard let mirrors, !mirrors.isEmpty else { return nil }
        return mirrors.map { AddressParts($0.trimmed).redacted }
    }

    private static func changed(_ value: Bool, from usual: Bool) -> Bool? {
        value == usual ? nil : value
    }
}

extension WireSettings {
    /// Throws `.usage` where something cannot be.
    ///
    /// A download of the daemon waits for the network: nobody sits in front of it.
    package func downloadSettings() throws(DownloadError) -> DownloadSettings {
        var settings = DownloadSettings()
        settings.waitsForConnectivity = true
        try checkMirrors()
        for mirror in mirrors ?? [] {
            // With its own credentials, which the library takes out.
            _ = try SourceURL.parse(mirror)
            if let url = URL(string: mirror) { settings.mirrors.append(url) }
        }
        settings.fields =
            try fields.map { (fields) throws(DownloadError) in
                try Self.checked(fields)
            } ?? []
        if let credentials {
            settings.credentials = Credentials(
                name: credentials.name,
                password: credentials.password
            )
        }
        settings.checksum = try checkedChecksum()
        settings.ifExists = ifExists ?? settings.ifExists
        if let connections {
            let count = try Self.number(connections, in: 1...64, "connections")
            settings.connections = .fixed(count)
        }
        if let retries {
            settings.retries = try Self.number(retries, in: 0...1_000_000, "retries")
        }
        if let minimumBytesPerSecond {
            guard minimumBytesPerSecond >= 0 else {
                throw Self.refusal(
                    "'minimumBytesPerSecond' is \(minimumBytesPerSecond)",
                    "give 0 or more"
                )
            }
            settings.minimumBytesPerSecond = minimumBytesPerSecond
        }
        if let limitBytesPerSecond { try WireLimitPeriod.check(limitBytesPerSecond) }
        settings.limitBytesPerSecond = limitBytesPerSecond
        try applyTimes(to: &settings)
        try applyConnection(to: &settings)
        settings.resumes = resumes ?? settings.resumes
        settings.resumesWithoutValidator =
            resumesWithoutValidator ?? settings.resumesWithoutValidator
        settings.adoptsPartialFile = adoptsPartialFile ?? settings.adoptsPartialFile
        settings.allowsExpensiveNetwork =
            allowsExpensiveNetwork ?? settings.allowsExpensiveNetwork
        settings.allowsInsecureRedirects =
            allowsInsecureRedirects ?? settings.allowsInsecureRedirects
        guard !settings.adoptsPartialFile || settings.checksum.isGiven else {
            throw Self.refusal("'adoptsPartialFile' without 'checksum'", "add the checksum")
        }
        return settings
    }

    /// They stand in each list.
    private func checkMirrors() throws(DownloadError) {
        let mirrors = mirrors ?? []
        guard mirrors.count <= DownloadSettings.mostMirrors else {
            throw Self.refusal(
                "\(mirrors.count) mirrors of one file",
                "give \(DownloadSettings.mostMirrors) at most"
            )
        }
        guard mirrors.map(\.utf8.count).reduce(0, +) <= Self.mostMirrorBytes else {
            throw Self.refusal(
                "the mirrors have more than \(Self.mostMirrorBytes) bytes together",
                "leave some out"
            )
        }
    }

    private static let mostMirrorBytes = 32 << 10

    private func applyTimes(to settings: inout DownloadSettings) throws(DownloadError) {
        if let seconds = connectTimeoutSeconds {
            settings.connection.connectTimeout = try Self.time(seconds, "connectTimeoutSeconds")
        }
        if let seconds = maximumRetryAfterSeconds {
            settings.maximumRetryAfter =
                seconds == 0 ? .zero : try Self.time(seconds, "maximumRetryAfterSeconds")
        }
        if let seconds = stallTimeoutSeconds {
            settings.stallTimeout = try Self.time(seconds, "stallTimeoutSeconds")
        }
        if let seconds = maximumSeconds {
            settings.maximumDuration = try Self.time(seconds, "maximumSeconds")
        }
    }

    private func applyConnection(to settings: inout DownloadSettings) throws(DownloadError) {
        if let userAgent {
            guard !userAgent.holdsUnsafeToShow else {
                throw Self.refusal("'userAgent' has control characters", "give plain text")
            }
            settings.connection.userAgent = userAgent
        }
        if let authoritiesFile {
            guard authoritiesFile.hasPrefix("/") else {
                throw Self.refusal("'authoritiesFile' is no absolute path", "give a whole path")
            }
            settings.connection.authoritiesFile = authoritiesFile
        }
        settings.connection.allowsUntrustedCertificates = allowsUntrustedCertificates ?? false
    }

    private func checkedChecksum() throws(DownloadError) -> ChecksumPolicy {
        guard let checksum else { return .automatic }
        if checksum == "none" { return .none }
        guard let digest = ContentDigest(parsing: checksum) else {
            throw Self.refusal(
                "'\(checksum.sanitized(atMost: 200))' is no checksum",
                "write algorithm=hex with md5, sha1, sha256, sha384 or sha512; or none"
            )
        }
        return .digest(digest)
    }

    private static func checked(_ fields: [Field]) throws(DownloadError) -> [HTTPField] {
        var checked: [HTTPField] = []
        for field in fields {
            guard field.name.isToken, !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 9 })
            else {
                throw refusal(
                    "the field '\(field.name.sanitized(atMost: 40))' cannot be sent",
                    "give a name of letters, digits and '-', and a value on one line"
                )
            }
            checked.append(HTTPField(field))
        }
        return checked
    }

    private static func number(
        _ number: Int,
        in range: ClosedRange<Int>,
        _ name: String
    ) throws(DownloadError) -> Int {
        guard range.contains(number) else {
            throw refusal(
                "'\(name)' is \(number)",
                "give a number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    private static func time(_ seconds: Double, _ name: String) throws(DownloadError) -> Duration {
        guard seconds > 0, seconds <= 1e9 else {
            throw refusal("'\(name)' is no time", "give seconds, more than 0")
        }
        return .seconds(seconds)
    }

    private static func refusal(_ what: String, _ advice: String) -> DownloadError {
        DownloadError(.usage, what, advice: advice)
    }
}

extension HTTPField {
    /// The field as the engine has it.
    package init(_ field: WireSettings.Field) {
        self.init(name: field.name, value: field.value, isForAnyOrigin: field.anyOrigin ?? false)
    }
}
