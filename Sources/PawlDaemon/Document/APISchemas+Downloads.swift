internal import PawlCore
internal import PawlWire

/// The forms of what the API takes and gives (`PawlWire`).
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
                        .whole("What to give as `after` for the next page; left out at the end.")
                    ),
                ]
            )
        ),
        ("NewDownload", newDownload),
        (
            "NewDownloads",
            .object(
                "Several downloads, which are added all or none.",
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
                        .truth("Of a request: sent to redirects' and mirrors' servers, too.")
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
                "What the server said, without what may be secret.",
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
                "With what to go on elsewhere.",
                [("resumeData", .bytes("Left out where there is nothing."))]
            )
        ),
    ]

    private static let download = APISchema.object(
        "A download. It holds no secret: the URL has no user, and secret parameters are hidden.",
        [
            ("id!", .whole("Ascending, never used again.")),
            ("state!", .word(states)),
            ("name!", .text()), ("url!", .text()),
            ("mirrors", .list(of: .text(), "Where else the same file is to be had.")),
            (
                "owner",
                .text("Who has added it: `user`, `page`, or `token:` and the token's name.")
            ),
            ("destination!", .text("The file or the folder that was asked for.")),
            ("path", .text("The file that it becomes, once that is known.")),
            ("completedBytes!", .whole(from: 0)), ("totalBytes", .whole(from: 0)),
            ("bytesPerSecond", .whole(from: 0)), ("connections", .whole(from: 0)),
            ("priority!", .word(priorities)),
            (
                "position!",
                .whole("Its place among those of the same priority: the lowest begins first.")
            ),
            ("session", .text()), ("notBefore", .date()),
            ("failures", .whole("How often it has failed in a row and waits to be tried again.")),
            ("problem", .of("Problem")),
            ("createdAt!", .date()), ("endedAt", .date()),
            ("taskIdentifier", .whole()), ("taskDescription", .text()),
            ("metrics", .of("Metrics")),
            ("response", .of("Response")),
            ("limitBytesPerSecond", .whole("Its own limit, beside that of all.")),
        ]
    )

    private static let metrics = APISchema.object(
        "What its runs have taken so far; times are in seconds.",
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
                .text("May have a user and a password in it.", example: "https://example.org/a.iso")
            ),
            (
                "destination!",
                .text(
                    "A file or, where it ends in a slash, a folder; an absolute path. Over TCP within the "
                        + "allowed folders, and relative to the first of them; empty is that one."
                )
            ),
            ("settings", .of("DownloadSettings")),
            ("priority", .word(priorities)), ("session", .text("1 to 200 bytes.")),
            ("notBefore", .date()),
            ("isPaused", .truth("Added, and not begun before it is resumed.")),
            ("taskIdentifier", .whole()), ("taskDescription", .text()),
            ("resumeData", .bytes("With what it goes on. Not over TCP.")),
            (
                "confinedTo",
                .text("A folder that nothing of it may leave. Over TCP the daemon says it.")
            ),
        ],
        isClosed: true
    )

    private static let downloadSettings = APISchema.object(
        "How a download is done; what is left out is the default.",
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
        let limits = setting.entries.contains(.network) ? "" : " Not over TCP."
        let about: [(String, JSONValue)] = [("description", .text(setting.about + limits))]
        guard case .members(let members) = setting.schema, setting.schema["$ref"] == nil else {
            value = setting.schema
            return
        }
        value = .object(members.map { ($0.name, $0.value) } + about)
    }
}
