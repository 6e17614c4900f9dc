internal import PawlWire

extension APISchemas {
    private static let kinds = WireEvent.Kind.allCases.map(\.rawValue)

    static let details: [(String, APISchema)] = [
        (
            "Segments",
            .object(
                "Which bytes of a download are there, and which connection is to bring what.",
                [
                    ("id!", .whole()), ("state!", .word(states)),
                    ("completedBytes!", .whole(from: 0)), ("totalBytes", .whole(from: 0)),
                    ("bytesPerSecond", .whole(from: 0)),
                    (
                        "written",
                        .list(
                            of: .of("Part"),
                            "In the order of the file; left out where nothing is known."
                        )
                    ),
                    ("connections!", .list(of: .of("Connection"), "In the order of the file.")),
                ]
            )
        ),
        (
            "Part",
            .object(
                "The bytes up to, not including, `to`.",
                [("from!", .whole(from: 0)), ("to!", .whole(from: 0))]
            )
        ),
        (
            "Connection",
            .object(
                "What one connection fetches.",
                [
                    ("number!", .whole("Ascending, never used again by the same run.")),
                    ("from!", .whole(from: 0)),
                    ("position!", .whole("Where it writes next.", from: 0)),
                    ("to", .whole("Left out where nobody knows how much there is.", from: 0)),
                    ("host", .text("From where: with the port, where that is not the usual one.")),
                ]
            )
        ),
        (
            "Event",
            .object(
                "Something that happened to a download.",
                [
                    ("id!", .whole("Ascending.")), ("kind!", .word(kinds)), ("download!", .whole()),
                    ("name!", .text()), ("session", .text()), ("at!", .date()),
                    ("path", .text("The finished file.")), ("completedBytes", .whole()),
                    ("totalBytes", .whole()), ("problem", .of("Problem")),
                ]
            )
        ),
        (
            "Events",
            .object(
                "In order.",
                [
                    ("events!", .list(of: .of("Event"))),
                    ("next", .whole("What to give as `before` for those that came before.")),
                ]
            )
        ),
    ]
}
