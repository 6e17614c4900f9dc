internal import PawlCore
internal import PawlWire

extension APISchemas {
    static let changes: [(String, APISchema)] = [
        (
            "Selection",
            .object(
                "Which downloads: `targets` or `all`.",
                [
                    (
                        "targets",
                        .list(of: .text(), "Ids, names, or patterns of names with `*` and `?`.")
                    ),
                    ("all", .truth("All that the thing can be done to.")),
                    ("session", .text("Only those of this session.")),
                ],
                isClosed: true
            )
        ),
        (
            "DownloadChanges",
            .object(
                "What to change; what is left out stays.",
                [
                    ("priority", .word(WirePriority.allCases.map(\.rawValue))),
                    (
                        "url",
                        .text(
                            "Of another origin, it drops the secrets that are not given with it."
                        )
                    ),
                    ("notBefore", .date("One that has passed is at once.")),
                    ("taskDescription", .text("At most 64 KiB; empty is none.")),
                    ("name", .text("For one download: the finished file's, in its folder.")),
                    (
                        "before",
                        .whole("For one download: in front of this one, of the same priority.")
                    ),
                ] + members(of: DownloadSettings.table) { $0.isChangeable },
                isClosed: true
            )
        ),
        (
            "SelectedChanges",
            .object(
                "Which downloads, and what to change of them.",
                [("selection!", .of("Selection")), ("changes!", .of("DownloadChanges"))],
                isClosed: true
            )
        ),
        (
            "Outcome",
            .object(
                "What became of what was asked.",
                [
                    ("downloads!", .list(of: .of("Download"))),
                    ("lastEvent!", .whole("The newest event that tells of it.", from: 0)),
                    ("notRemoved", .list(of: .of("NotRemoved"))),
                ]
            )
        ),
        (
            "NotRemoved",
            .object(
                "A file that was to be thrown away, and why it is still there.",
                [
                    ("download!", .whole("Whose it was.", from: 1)), ("path!", .text()),
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
                    ("limitBytesPerSecond", .whole("Left out is no limit.", from: 1)),
                ],
                isClosed: true
            )
        ),
        (
            "Settings",
            .object(
                "What holds for the whole queue.",
                settings + [
                    (
                        "current",
                        .object(
                            "What of the limits holds now.",
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
                "A merge patch (RFC 7396): what is left out stays, null is the default again.",
                settings.map { ($0.0, $0.1.orNull) },
                isClosed: true
            )
        ),
    ]

    private static let settings = members(of: DaemonSettings.table) { _ in true }
}
