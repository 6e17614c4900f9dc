internal import PawlCore
internal import PawlWire

/// The forms of the values in requests and answers (`PawlWire`).
enum APISchemas {
    static let all: [(String, APISchema)] = downloads + details + changes + service

    private static let priorities = WirePriority.allCases.map(\.rawValue)
    static let states = TaskState.allCases.map(\.rawValue)

    private static let downloads: [(String, APISchema)] = [
        ("Download", download),
        (
            "DownloadPage",
            .object(
                "A page of the list.",
                [
                    ("downloads!", .list(of: .of("Download"))),
                    (
                        "next",
                        .whole("The value of `after` for the next page; omitted on the last page.")
                    ),
                ]
            )
        ),
        ("NewDownload", newDownload),
        (
            "NewDownloads",
            .object(
                "Several downloads; all or none are added.",
                [("downloads!", .list(of: .of("NewDownload")))],
                isClosed: true
            )
        ),
        ("DownloadSettings", downloadSettings),
        (
            "Field",
            .object(
                "A header field.",
                [
                    ("name!", .text()), ("value!", .text()),
                    (
                        "anyOrigin",
                        .truth(
                            "In a request: whether the field is also sent to the servers of redirects and mirrors."
                        )
                    ),
                ],
                isClosed: true
            )
        ),
        (
            "SignIn",
            .object(
                "A name and password.",
                [("name!", .text()), ("password!", .text())],
                isClosed: true
            )
        ),
        (
            "Response",
            .object(
                "The server's response, without possible secrets.",
                [
                    ("url!", .text()), ("redirects", .list(of: .text())), ("status!", .whole()),
                    ("fields!", .list(of: .of("Field"))), ("protocolVersion!", .text()),
                ]
            )
        ),
        ("Metrics", metrics),
        (
            "ResumeData",
            .object(
                "The data to resume a download elsewhere.",
                [("resumeData", .bytes("Omitted if there are none."))]
            )
        ),
    ]

    private static let download = APISchema.object(
        "A download. It contains no secret: the URL has no user, and secret parameters are hidden.",
        [
            ("id!", .whole("Ascending; never reused.")),
            ("state!", .word(states)),
            ("name!", .text()), ("url!", .text()),
            ("mirrors", .list(of: .text(), "The other URLs of the same file.")),
            (
                "owner",
                .text("The client that added it: `user`, `page`, or `token:` and the token's name.")
            ),
            ("destination!", .text("The requested file or folder.")),
            ("path", .text("The path of the finished file, once it is known.")),
            ("completedBytes!", .whole(from: 0)), ("totalBytes", .whole(from: 0)),
            ("bytesPerSecond", .whole(from: 0)), ("connections", .whole(from: 0)),
            ("priority!", .word(priorities)),
            (
                "position!",
                .whole(
                    "The position among downloads of the same priority; the lowest starts first."
                )
            ),
            ("session", .text()), ("notBefore", .date()),
            ("failures", .whole("The number of failures in a row, if it waits to be retried.")),
            ("problem", .of("Problem")),
            ("createdAt!", .date()), ("endedAt", .date()),
            ("taskIdentifier", .whole()), ("taskDescription", .text()),
            ("metrics", .of("Metrics")),
            ("response", .of("Response")),
            ("limitBytesPerSecond", .whole("Its own limit; the limit for all also applies.")),
        ]
    )

    private static let metrics = APISchema.object(
        "The measurements of its runs so far; times are in seconds.",
        [
            ("nameLookup", .number()), ("connect", .number()), ("secureConnection", .number()),
            ("firstByte", .number()), ("duration!", .number()),
            ("bytesReceived!", .whole(from: 0)), ("transfers!", .whole(from: 0)),
            ("segments!", .whole(from: 0)), ("retries!", .whole(from: 0)),
            ("redirects!", .whole(from: 0)), ("reusedConnections!", .whole(from: 0)),
            ("remoteAddress", .text()), ("protocolVersion", .text()),
        ]
    )

    private static let newDownload = APISchema.object(
        "A download to be added.",
        [
            (
                "url!",
                .text(
                    "The URL, which may contain a user and a password.",
                    example: "https://example.org/a.iso"
                )
            ),
            (
                "destination!",
                .text(
                    "An absolute path of a file, or of a folder with a slash at its end. Over TCP it is "
                        + "within the allowed folders, or relative to the first of them; empty means that folder."
                )
            ),
            ("settings", .of("DownloadSettings")),
            ("priority", .word(priorities)), ("session", .text("1 to 200 bytes.")),
            ("notBefore", .date()),
            ("isPaused", .truth("Whether the download is added as paused.")),
            ("taskIdentifier", .whole()), ("taskDescription", .text()),
            ("resumeData", .bytes("The data to resume from. Not available over TCP.")),
            (
                "confinedTo",
                .text(
                    "A folder that no file of the download may leave. Over TCP the daemon sets it."
                )
            ),
        ],
        isClosed: true
    )

    private static let downloadSettings = APISchema.object(
        "The settings of a download. Omitted members have their defaults.",
        members(of: DownloadSettings.table) { $0.entries.contains(.socket) },
        isClosed: true
    )

    /// Members for settings of a table.
    static func members<Root>(
        of table: SettingTable<Root>,
        _ isIncluded: (Setting<Root>) -> Bool
    ) -> [(String, APISchema)] {
        table.settings.compactMap { setting in
            guard let member = setting.member, isIncluded(setting) else { return nil }
            return (member, APISchema(setting))
        }
    }
}

extension APISchema {
    fileprivate init<Root>(_ setting: Setting<Root>) {
        let limits = setting.entries.contains(.network) ? "" : " Not available over TCP."
        let about: [(String, JSONValue)] = [("description", .text(setting.about + limits))]
        guard case .members(let members) = setting.schema, setting.schema["$ref"] == nil else {
            value = setting.schema
            return
        }
        value = .object(members.map { ($0.name, $0.value) } + about)
    }
}
