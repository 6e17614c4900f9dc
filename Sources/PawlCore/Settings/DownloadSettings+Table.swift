internal import struct FoundationEssentials.URL

extension DownloadSettings: TabledSettings {
    /// All settings of a download.
    ///
    /// A new setting needs a property, a row here, an option in the command, and its effect.
    package static let table = SettingTable<DownloadSettings>(
        requestSettings + connectionSettings + s3Settings + transferSettings
            + Setting.hooks(
                \.hooks.onStart,
                \.hooks.onComplete,
                \.hooks.onError,
                \.hooks.webhook,
                \.hooks.notifies,
                \.hooks.unpacks,
                entries: [.command, .config, .socket]
            )
            + [Setting.moving(\.moveRules, entries: [.command, .config, .socket])]
    )

    private static let requestSettings: [Setting<DownloadSettings>] = [
        Setting(
            "if-exists",
            member: "ifExists",
            \.ifExists,
            .choice(),
            mayReplaceFiles: { $0 == .overwrite },
            field: SettingField("If the file exists"),
            help: """
                What to do if the file exists: rename, overwrite, skip or fail. Default: {default}, \
                which adds a number to the name of the new file.
                """
        ),
        Setting(
            "checksum",
            member: "checksum",
            \.checksum,
            .checksum,
            field: SettingField("Checksum", placeholder: "sha256=…, for a single URL"),
            help: """
                Verify the file's checksum: \(DigestAlgorithm.names). Default: the checksum that \
                the server sends, if any. Use auto to look for a checksum file beside the file, \
                too, and none to ignore the server's checksum.
                """,
            about: """
                The file's checksum, as `sha256=hex`, `auto` or `none`. Default: the checksum that \
                the server sends, if any.
                """
        ),
        Setting(
            "size",
            member: "expectedSize",
            \.expectedSize,
            SettingForm<Int64>.size.optional(),
            entries: .oneFile,
            help: """
                The size of the file in bytes. A source whose file has another size is not used.
                """,
            about: "The size that the file must have; a source with another size is not used."
        ),
        Setting(
            "pieces",
            member: "pieces",
            \.pieces,
            SettingForm<PieceDigests>.pieces.optional(),
            entries: .oneFile,
            help: """
                The digests of the file's pieces, as ALGORITHM:LENGTH:BASE64, where the base64 \
                contains all digests. Pieces that arrive damaged are fetched again.
                """,
            about: """
                The digests of the file's pieces: the algorithm, the length of a piece, and all \
                digests in base64, separated by colons. Damaged pieces are fetched again.
                """
        ),
        Setting(
            "mirror",
            member: "mirrors",
            \.mirrors,
            each: .mirror,
            most: DownloadSettings.mostMirrors,
            entries: .oneFile,
            isSecret: true,
            field: SettingField("Mirrors", placeholder: "One URL per line"),
            help: """
                Also download from this URL if Pawl can verify that the file is the same. May be \
                given several times.
                """,
            about: "Other URLs of the same file; at most 32 KiB together."
        ),
        Setting(
            "no-server-mirrors",
            member: "usesServerMirrors",
            \.usesServerMirrors,
            .flag(textIsOpposite: true),
            help: "Do not use the mirrors that a server names for its file.",
            about: """
                Whether to use the mirrors that a server names for its file. They are used only if \
                the file's digest is known. Default: {default}.
                """
        ),
        Setting(
            "header",
            letter: "H",
            member: "fields",
            \.fields,
            each: .field(forAnyOrigin: false),
            isChangeable: true,
            isSecret: true,
            field: SettingField("Headers", placeholder: "Name: value, one per line"),
            help: """
                Send this header, such as 'Cookie: a=b', only to the server of the given URL, \
                not to the servers of redirects and mirrors. May be given several times.
                """,
            about: "The header fields to send; a change replaces all earlier ones."
        ),
        Setting(
            "redirect-header",
            member: nil,
            \.fields,
            each: .field(forAnyOrigin: true),
            isChangeable: true,
            isSecret: true,
            help: """
                Send this header to every server, including the servers of redirects and \
                mirrors. Do not use it for secrets.
                """
        ),
        Setting(
            "method",
            letter: "X",
            member: "method",
            \.method,
            SettingForm<String>.method.optional(),
            entries: .oneFile,
            help: """
                Send this HTTP method. Default: GET, or POST if there is a body. Only the \
                response to a GET without a body can be resumed or fetched over several connections.
                """,
            about: "The HTTP method. Default: GET, or POST if there is a body."
        ),
        Setting(
            "data",
            member: "data",
            \.body,
            .body(joinedWith: "&"),
            entries: .oneFile,
            isSecret: true,
            help: """
                Send this text as the body of the request, and save the response; @name is a text \
                file, and @- standard input. If given several times, the texts are joined with &.
                """,
            about: """
                The body of the request: a text, or an object with base64. It is sent as a form \
                unless the fields contain another `Content-Type`.
                """
        ),
        Setting(
            "json",
            member: nil,
            \.body,
            .body(joinedWith: ""),
            entries: .oneFile,
            isSecret: true,
            help: """
                Send this JSON as the body of the request, and save the response; @name is a file, \
                and @- standard input.
                """
        ),
        Setting(
            "range",
            letter: "r",
            member: "range",
            \.range,
            SettingForm<FileRange>.range.optional(),
            entries: .oneFile,
            help: """
                Download only this part of the file, such as 0-999 for the first 1,000 bytes, \
                1000- for the rest, or -500 for the last 500 bytes.
                """
        ),
        Setting(
            "compressed",
            member: "decodesContent",
            \.decodesContent,
            .flag(),
            help: """
                Request the file in compressed form, and decompress it. A compressed file is \
                fetched over one connection and cannot be resumed.
                """
        ),
        Setting(
            "user-agent",
            letter: "A",
            member: "userAgent",
            \.connection.userAgent,
            .line,
            field: SettingField("User-Agent", placeholder: "Pawl’s own"),
            help: "Send this User-Agent."
        ),
        Setting(
            "referer",
            letter: "e",
            member: "referer",
            \.connection.referer,
            SettingForm<URL>.page.optional(),
            isSecret: true,
            field: SettingField("Referring page", placeholder: "None"),
            help: "Send this URL to every server as the page that links to the file."
        ),
        Setting(
            "user",
            letter: "u",
            member: "credentials",
            \.credentials,
            SettingForm<Credentials>.credentials.optional(),
            isChangeable: true,
            isSecret: true,
            field: SettingField("Name and password", placeholder: "name:password"),
            help: """
                Sign in with this name and password. If the password is left out, you are \
                asked for it.
                """,
            about: "The name and password with which to sign in."
        ),
        Setting(
            "bearer",
            member: nil,
            \.fields,
            each: .bearer,
            isChangeable: true,
            isSecret: true,
            help: "Sign in with this token (Authorization: Bearer)."
        ),
    ]

    private static let transferSettings: [Setting<DownloadSettings>] = [
        Setting(
            "connections",
            letter: "x",
            member: "connections",
            \.connections,
            .connections,
            isChangeable: true,
            field: SettingField("Connections", placeholder: "Automatic"),
            help: """
                Connections per download, 1 to 64. Default: auto, which adds connections while \
                the total speed increases.
                """,
            about: """
                Connections per download, 1 to 64. Default: up to 16, added while the total \
                speed increases.
                """
        ),
        Setting(
            "retries",
            member: "retries",
            \.retries,
            .count(0...1_000_000),
            field: SettingField("Retries"),
            help: """
                Allow at most this many consecutive failures. A server that has never responded is \
                asked at most four times. Default: {default}.
                """
        ),
        Setting(
            "max-retry-after",
            member: "maximumRetryAfterSeconds",
            \.maximumRetryAfter,
            .seconds(allowsZero: true),
            entries: .programs,
            help: """
                The longest wait in seconds that a server may request with Retry-After. \
                Default: {default}; in the daemon, 86400.
                """
        ),
        Setting(
            "stall-timeout",
            member: "stallTimeoutSeconds",
            \.stallTimeout,
            .seconds(),
            field: SettingField("Stall timeout"),
            help:
                "Replace a connection that receives nothing for this many seconds. Default: {default}."
        ),
        Setting(
            "min-speed",
            member: "minimumBytesPerSecond",
            \.minimumBytesPerSecond,
            .rate,
            help: "Replace a connection that is slower than this, in bytes per second."
        ),
        Setting(
            "max-time",
            member: "maximumSeconds",
            \.maximumDuration,
            SettingForm<Duration>.seconds().optional(),
            field: SettingField("Maximum time", placeholder: "No limit"),
            help: "Stop a download after this many seconds; the bytes received so far are kept."
        ),
        Setting(
            "limit",
            member: "limitBytesPerSecond",
            \.limitBytesPerSecond,
            .limit,
            isChangeable: true,
            field: SettingField("Speed limit", placeholder: "No limit"),
            help: """
                Maximum speed of each download, in bytes per second: off, or 500K, 1.5M or 1G, \
                where K is 1024.
                """,
            about: "Maximum bytes per second; 0 means no limit."
        ),
        Setting(
            "wait-for-network",
            member: "waitsForConnectivity",
            \.waitsForConnectivity,
            .flag(),
            help: """
                Wait while there is no route to the network. A wait does not count as a \
                failure.
                """,
            about: """
                Whether to wait while there is no route to the network. Default: {default}; in the \
                daemon, true.
                """
        ),
        Setting(
            "metered",
            member: "allowsExpensiveNetwork",
            \.allowsExpensiveNetwork,
            .flag(),
            entries: .programs,
            help: "Whether to download on metered networks. Default: {default}."
        ),
        Setting(
            "no-resume",
            member: "resumes",
            \.resumes,
            .flag(textIsOpposite: true),
            help: "Start from the beginning; an earlier partial file is renamed and kept.",
            about: """
                Whether to resume an earlier partial file. With false, it is renamed and kept. \
                Default: {default}.
                """
        ),
        Setting(
            "resume-without-validator",
            member: "resumesWithoutValidator",
            \.resumesWithoutValidator,
            .flag(),
            entries: .programs,
            help: """
                Whether to resume even if the server sends neither a strong ETag nor a usable \
                modification date for the file. Default: {default}.
                """
        ),
        Setting(
            "adopt",
            member: "adoptsPartialFile",
            \.adoptsPartialFile,
            .flag(),
            entries: .oneFile,
            mayReplaceFiles: { $0 },
            needsFile: { $0 },
            help: """
                Resume a partial file NAME.part that another tool has written. Requires \
                --checksum, which verifies the result.
                """,
            about: """
                Whether to resume a partial file NAME.part that another tool has written. \
                Requires a checksum, and over TCP the scope `manage`. Default: {default}.
                """
        ),
        Setting(
            "no-host-memory",
            member: "remembersHosts",
            \.remembersHosts,
            .flag(textIsOpposite: true),
            help: """
                Do not use or keep what downloads learn about a host, such as its best number of \
                connections.
                """,
            about: """
                Whether to use what earlier downloads have learned about the host, such as its \
                best number of connections, and to keep it for later ones. Default: {default}.
                """
        ),
        Setting(
            "remote-time",
            letter: "R",
            member: "keepsServerTime",
            \.keepsServerTime,
            .flag(),
            needsFile: { $0 },
            field: SettingField("Use the server’s file time"),
            help: """
                Give the finished file the server's modification time. Default: the time of the \
                download, so that tools that compare times do not treat a new file as an old one.
                """,
            about: """
                Whether the finished file gets the server's modification time. With false, it has \
                the time of the download, so that tools that compare times do not treat a new file \
                as an old one. Default: {default}.
                """
        ),
        Setting(
            "xattr",
            member: "recordsOrigin",
            \.recordsOrigin,
            .flag(),
            needsFile: { $0 },
            help: """
                Record the URL and mirrors (without secrets), the media type and the date in \
                extended attributes of the finished file (user.xdg.origin.url and others).
                """,
            about: """
                Whether to record the URL and mirrors (without secrets), the media type and the \
                date in extended attributes of the finished file. Default: {default}.
                """
        ),
        Setting(
            "max-redirects",
            member: "maximumRedirects",
            \.maximumRedirects,
            .count(0...100),
            help: """
                Follow at most this many redirects in a row; with 0, fail instead of following one. \
                Default: {default}.
                """,
            about: """
                The maximum number of redirects in a row that are followed; with 0, a redirect is an \
                error. Default: {default}.
                """
        ),
        Setting(
            "insecure-redirects",
            member: "allowsInsecureRedirects",
            \.allowsInsecureRedirects,
            .flag(),
            entries: .programs,
            help: "Whether to follow redirects from HTTPS to HTTP. Default: {default}."
        ),
    ]

    private static let mostMirrorBytes = 32 << 10

    /// Throws `.usage` for settings that contradict each other.
    package func check() throws(DownloadError) {
        guard !adoptsPartialFile || checksum.isGiven else {
            throw .usage(
                "'adoptsPartialFile' requires 'checksum'",
                advice: "add the file's checksum"
            )
        }
        // Each list of downloads contains the mirrors.
        guard mirrors.map(\.absoluteString.utf8.count).reduce(0, +) <= Self.mostMirrorBytes else {
            throw .usage(
                "the mirrors' URLs together have more than \(Self.mostMirrorBytes) bytes",
                advice: "remove some of them"
            )
        }
    }
}
