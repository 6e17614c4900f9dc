/// A setting of a download that advice names.
///
/// The raw value is its name in the table of settings, which has the option and the member in JSON.
package enum AdviceSetting: String, Sendable, CaseIterable {
    case adoptsPartialFile = "adopt"
    case allowsUntrustedCertificates = "insecure"
    case authoritiesFile = "cacert"
    case checksum
    case clientCertificateFile = "cert"
    case clientKeyPassword = "key-password"
    case connectTimeout = "connect-timeout"
    case credentials = "user"
    case header
    case hostKey = "host-key"
    case ifExists = "if-exists"
    case interface
    case maximumDuration = "max-time"
    case maximumRedirects = "max-redirects"
    case maximumRetryAfter = "max-retry-after"
    case minimumSpeed = "min-speed"
    case netrcFile = "netrc"
    case pinnedPublicKeys = "pinned-public-key"
    case proxy
    case proxyAuthentication = "proxy-auth"
    case range
    case s3Anonymous = "s3-anonymous"
    case s3Endpoint = "s3-endpoint"
    case s3Profile = "s3-profile"

    /// The path of the property within ``DownloadSettings``.
    package var property: String {
        switch self {
        case .adoptsPartialFile: "adoptsPartialFile"
        case .allowsUntrustedCertificates: "connection.allowsUntrustedCertificates"
        case .authoritiesFile: "connection.authoritiesFile"
        case .checksum: "checksum"
        case .clientCertificateFile: "connection.clientIdentity.certificateFile"
        case .clientKeyPassword: "connection.clientIdentity.keyPassword"
        case .connectTimeout: "connection.connectTimeout"
        case .credentials: "credentials"
        case .header: "fields"
        case .hostKey: "connection.hostKey"
        case .ifExists: "ifExists"
        case .interface: "connection.interface"
        case .maximumDuration: "maximumDuration"
        case .maximumRedirects: "maximumRedirects"
        case .maximumRetryAfter: "maximumRetryAfter"
        case .minimumSpeed: "minimumBytesPerSecond"
        case .netrcFile: "connection.netrcFile"
        case .pinnedPublicKeys: "connection.pinnedPublicKeys"
        case .proxy: "connection.proxy"
        case .proxyAuthentication: "connection.proxyAuthentication"
        case .range: "range"
        case .s3Anonymous: "connection.s3.isAnonymous"
        case .s3Endpoint: "connection.s3.endpoint"
        case .s3Profile: "connection.s3.profile"
        }
    }

    /// The row in the table of settings; a test finds one for each case.
    package var row: Setting<DownloadSettings>? { DownloadSettings.table[name: rawValue] }

    /// Returns the name by which the reader can give the setting.
    func name(for reader: AdviceReader) -> String {
        switch reader {
        case .library: "`\(property)`"
        case .command: "--\(rawValue)"
        case .api: "`\(row?.member ?? property)`"
        }
    }

    /// Returns a request to give the setting one of some values.
    func request(_ values: [String], for reader: AdviceReader) -> String {
        let isFlag = row?.valueName == nil
        guard reader != .command else {
            let option = name(for: .command)
            if isFlag { return values == ["false"] ? "omit \(option)" : "use \(option)" }
            return "use \(option) \(values.alternatives)"
        }
        let dot = reader == .library && !isFlag ? "." : ""
        let shown = values.map { "`\(dot)\($0)`" }.alternatives
        return "set \(name(for: reader)) to \(shown)"
    }
}
