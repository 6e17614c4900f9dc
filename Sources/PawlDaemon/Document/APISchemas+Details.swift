internal import PawlWire

extension APISchemas {
    private static let kinds = WireEvent.Kind.allCases.map(\.rawValue)

    static let details: [(String, APISchema)] = [
        (
            "Segments",
            .object(
                "The bytes of a download that are present, and the ranges that the connections fetch.",
                [
                    ("id!", .whole()), ("state!", .word(states)),
                    ("completedBytes!", .whole(from: 0)), ("totalBytes", .whole(from: 0)),
                    ("bytesPerSecond", .whole(from: 0)),
                    (
                        "written",
                        .list(
                            of: .of("Part"),
                            "In the order of the file; omitted if not known."
                        )
                    ),
                    ("connections!", .list(of: .of("Connection"), "In the order of the file.")),
                ]
            )
        ),
        (
            "Part",
            .object(
                "The bytes from `from` up to, but not including, `to`.",
                [("from!", .whole(from: 0)), ("to!", .whole(from: 0))]
            )
        ),
        (
            "Connection",
            .object(
                "The range that one connection fetches.",
                [
                    ("number!", .whole("Ascending; never reused within a run.")),
                    ("from!", .whole(from: 0)),
                    ("position!", .whole("The position of the next byte to be written.", from: 0)),
                    ("to", .whole("Omitted if the size is not known.", from: 0)),
                    ("host", .text("The source host, with the port if it is not the default.")),
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
                "The events, oldest first.",
                [
                    ("events!", .list(of: .of("Event"))),
                    ("next", .whole("The value of `before` for the earlier events.")),
                ]
            )
        ),
    ]
}
