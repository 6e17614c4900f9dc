package import PawlCore

/// What the options say of one download.
///
/// The command line's hold for all; a list's come on top.
package struct OrderSettings: Sendable {
    package var settings = DownloadSettings()
    package var output: String?
    package var directory: String?
    /// A name was given without its password.
    package var passwordIsMissing = false

    package init() {}

    /// Takes over one option; touches nothing, but looks whether files are there.
    package mutating func apply(_ option: OptionAssignment) throws(DownloadError) {
        let text = option.value
        switch option.name {
        case .output:
            try OutputPath.checkFile(text, place: option.place)
            output = text
        case .directory:
            try OutputPath.checkDirectory(text, place: option.place)
            directory = text
        case .cacert:
            try OutputPath.checkReadable(text, place: option.place)
            settings.connection.authoritiesFile = text
        case .mirror: settings.mirrors.append(try mirrorURL(text, place: option.place))
        default:
            try usage(option.place) { () throws(ValueError) in
                try applyValue(option.name, text)
            }
        }
    }

    private mutating func applyValue(_ name: OptionName, _ text: String) throws(ValueError) {
        switch name {
        case .checksum: settings.checksum = try ChecksumText.parse(text)
        case .header: add(try HeaderLine.parse(text))
        case .redirectHeader: add(try HeaderLine.parse(text, forAnyOrigin: true))
        case .user: try signIn(text)
        case .userAgent: try introduce(as: text)
        case .connections: settings.connections = try NumberText.connections(text)
        case .ifExists: settings.ifExists = try Self.policy(text)
        case .insecure:
            settings.connection.allowsUntrustedCertificates = try NumberText.truth(text)
        case .retries: settings.retries = try NumberText.count(text, in: 0...1_000_000)
        case .connectTimeout: settings.connection.connectTimeout = try NumberText.seconds(text)
        case .stallTimeout: settings.stallTimeout = try NumberText.seconds(text)
        case .minSpeed: settings.minimumBytesPerSecond = try NumberText.rate(text)
        case .limit: settings.limitBytesPerSecond = try NumberText.limit(text)
        case .maxTime: settings.maximumDuration = try NumberText.seconds(text)
        case .waitForNetwork: settings.waitsForConnectivity = try NumberText.truth(text)
        case .noResume: settings.resumes = !(try NumberText.truth(text))
        case .adopt: settings.adoptsPartialFile = try NumberText.truth(text)
        case .output, .directory, .cacert, .mirror: break
        }
    }

    private mutating func add(_ field: HTTPField) {
        if field.name.lowercased() == "user-agent" {
            settings.connection.userAgent = field.value
        } else {
            settings.fields.append(field)
        }
    }

    private mutating func signIn(_ text: String) throws(ValueError) {
        let user = try UserText.parse(text)
        settings.credentials = Credentials(name: user.name, password: user.password ?? "")
        passwordIsMissing = user.password == nil
    }

    private mutating func introduce(as text: String) throws(ValueError) {
        guard HeaderLine.isPlain(text) else {
            throw ValueError(
                "a line break or a control character",
                advice: "give the text on one line"
            )
        }
        settings.connection.userAgent = text
    }

    private static func policy(_ text: String) throws(ValueError) -> ExistingFilePolicy {
        guard let policy = ExistingFilePolicy(rawValue: text.lowercased()) else {
            throw ValueError(
                "'\(text)' is no such choice",
                advice: "give rename, overwrite, skip or fail"
            )
        }
        return policy
    }
}
