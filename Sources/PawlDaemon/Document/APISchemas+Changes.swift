internal import PawlCore
internal import PawlWire

extension APISchemas {
    static let changes: [(String, APISchema)] = [
        (
            "Selection",
            .object(
                "A selection of downloads: `targets` or `all`.",
                [
                    (
                        "targets",
                        .list(of: .text(), "Ids, names, or patterns of names with `*` and `?`.")
                    ),
                    (
                        "all",
                        .truth(
                            "Whether to select all downloads for which the operation is possible."
                        )
                    ),
                    ("session", .text("Only downloads of this session.")),
                ],
                isClosed: true
            )
        ),
        (
            "DownloadChanges",
            .object(
                "The changes to make. Omitted members stay as they are.",
                [
                    ("priority", .word(WirePriority.allCases.map(\.rawValue))),
                    (
                        "url",
                        .text(
                            "A URL of another origin removes all secrets that are not given again."
                        )
                    ),
                    ("notBefore", .date("A time in the past starts the download immediately.")),
                    ("taskDescription", .text("At most 64 KiB; an empty text removes it.")),
                    ("name", .text("For one download: its new file name, in the same folder.")),
                    (
                        "before",
                        .whole(
                            "For one download: the ID of the download before which it is moved."
                        )
                    ),
                ] + members(of: DownloadSettings.table) { $0.isChangeable },
                isClosed: true
            )
        ),
        (
            "SelectedChanges",
            .object(
                "A selection of downloads, and the changes to make.",
                [("selection!", .of("Selection")), ("changes!", .of("DownloadChanges"))],
                isClosed: true
            )
        ),
        (
            "Outcome",
            .object(
                "The result of an operation.",
                [
                    ("downloads!", .list(of: .of("Download"))),
                    ("lastEvent!", .whole("The newest event of the operation.", from: 0)),
                    ("notRemoved", .list(of: .of("NotRemoved"))),
                ]
            )
        ),
        (
            "NotRemoved",
            .object(
                "A file that could not be deleted, and the reason.",
                [
                    ("download!", .whole("The download that the file belongs to.", from: 1)),
                    ("path!", .text()),
                    ("problem!", .of("Problem")),
                ]
            )
        ),
        (
            "LimitPeriod",
            .object(
                "A period of a timetable, in local time.",
                [
                    ("days", .list(of: .word(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))),
                    ("from!", .text(example: "22:00")), ("to!", .text(example: "07:00")),
                    ("limitBytesPerSecond", .whole("Omitted if there is no limit.", from: 1)),
                ],
                isClosed: true
            )
        ),
        (
            "Settings",
            .object(
                "The daemon's settings.",
                settings + [
                    (
                        "current",
                        .object(
                            "The limit that applies now.",
                            [
                                ("limitBytesPerSecond", .whole()), ("isByTimetable!", .truth()),
                                ("until", .date()),
                            ]
                        )
                    )
                ]
            )
        ),
        (
            "SettingsChange",
            .object(
                "A merge patch (RFC 7396): omitted members stay as they are, null restores the default.",
                settings.map { ($0.0, $0.1.orNull) },
                isClosed: true
            )
        ),
    ]

    private static let settings = members(of: DaemonSettings.table) { _ in true }
}
