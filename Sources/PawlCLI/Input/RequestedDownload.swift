package import PawlCore
package import struct FoundationEssentials.URL

/// One download as the user requests it, with its options checked.
package struct RequestedDownload: Sendable {
    package let url: URL
    package let destination: Destination
    package private(set) var settings: DownloadSettings
    /// The password that was left out; `nil` if none was.
    package private(set) var missingPassword: MissingPassword?
    /// The path of the file within the folder of a label: empty for any name, `nil` if a folder is
    /// given, which takes precedence.
    package let pathInLabel: String?
    /// Whether the bytes are written to standard output instead of a file.
    package let isForStandardOutput: Bool

    /// `location`: the line of a list, for errors.
    package init(
        _ text: String,
        _ options: DownloadOptions,
        location: String? = nil
    ) throws(DownloadError) {
        let (url, credentials) = try SourceURL.read(text, at: location)
        self.url = url
        var options = options
        // --user takes precedence over the URL, as in curl.
        if let credentials { options.setCredentials(credentials) }
        let object = try ObjectOutput(options)
        settings = object?.settings ?? options.settings
        missingPassword = options.missingPassword
        try Self.checkAdoption(settings, location: location)
        try settings.checkRequest()
        guard settings.asksForFile || URLScheme(of: url.scheme)?.isHTTP != false else {
            throw .usage(
                "a method or a body can be sent only to an HTTP server",
                advice: "remove --method, --data and --json"
            )
        }
        pathInLabel = options.hasOwnFolder ? nil : options.output ?? ""
        isForStandardOutput = options.output == OutputPath.standardOutput
        if isForStandardOutput {
            try Self.checkStandardOutput(options, location: location)
            destination = .file(OutputPath.standardOutput)
        } else if let object {
            destination = .object(object.url)
        } else if let output = options.output {
            destination = .file(
                try OutputPath.joined(
                    output: output,
                    directory: options.directory,
                    isForRemoteDaemon: options.isForRemoteDaemon
                )
            )
        } else {
            destination = .directory(options.directory ?? ".")
        }
    }

    /// Whether the bytes become an object of a bucket.
    var isForObject: Bool { if case .object = destination { true } else { false } }

    /// The name of the download until the server has named the file.
    package var workingName: String {
        let destination = isForStandardOutput ? Destination.directory(".") : destination
        return destination.workingName(for: url)
    }

    mutating func complete(_ missing: MissingPassword, with password: String) {
        guard missingPassword == missing else { return }
        settings.credentials?.password = password
        missingPassword = nil
    }

    /// The client's key that is encrypted, and whose password is not given.
    var lockedKey: LockedKey? { LockedKey(of: settings.connection.clientIdentity) }

    mutating func unlock(_ key: LockedKey, with password: String) {
        guard lockedKey == key else { return }
        settings.connection.clientIdentity.keyPassword = password
    }

    /// Gives the finished file the server's modification time.
    mutating func keepServerTime() { settings.keepsServerTime = true }

    mutating func take(_ answers: SSHPrompt.Answers) { answers.apply(to: &settings.connection) }

    var target: DownloadTarget {
        DownloadTarget(url: url.absoluteString, destination: destination)
    }

    /// Whether another download with the same target has the same options.
    func repeats(_ other: RequestedDownload) -> Bool {
        settings.credentials == other.settings.credentials
            && settings.checksum == other.settings.checksum
            && settings.fields == other.settings.fields
            && settings.requestMethod == other.settings.requestMethod
            && settings.body == other.settings.body
            && settings.mirrors == other.settings.mirrors
    }

    private static func checkStandardOutput(
        _ options: DownloadOptions,
        location: String?
    ) throws(DownloadError) {
        if let location {
            throw .usage(
                "\(location): only the command line can name standard output",
                advice: "to save to a file named '-', write output=./-"
            )
        }
        guard options.directory == nil else {
            throw .usage(
                "--output - and --directory cannot be combined",
                advice: "remove one of them; for a file named '-', use --output ./-"
            )
        }
        guard !options.settings.adoptsPartialFile else {
            throw .usage("--output - and --adopt cannot be combined", advice: "remove one of them")
        }
    }

    private static func checkAdoption(
        _ settings: DownloadSettings,
        location: String?
    ) throws(DownloadError) {
        guard settings.adoptsPartialFile else { return }
        let start = location.map { "\($0): " } ?? ""
        guard settings.resumes else {
            throw .usage(
                "\(start)--adopt and --no-resume cannot be combined",
                advice: "use one of them"
            )
        }
        guard settings.checksum.isGiven else {
            throw .usage(
                "\(start)--adopt requires --checksum, which verifies the bytes of the other tool",
                advice: "add --checksum algorithm=hex"
            )
        }
    }
}

extension SourceURL {
    /// Reads a URL of the command line or, at a location such as `list.txt, line 3`, of a list.
    static func read(
        _ text: String,
        at location: String? = nil
    ) throws(DownloadError) -> (URL, Credentials?) {
        do {
            return try parse(text)
        } catch {
            guard let location else { throw error }
            throw DownloadError(
                error.code,
                "\(location): \(error.message)",
                advice: error.guidance.text(for: .command).hasSuffix("?")
                    ? error.guidance
                    : error.guidance + "; each line is one URL, and comments start with #",
                context: error.context
            )
        }
    }
}
