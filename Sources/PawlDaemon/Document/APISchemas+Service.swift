internal import PawlCore
internal import PawlWire

extension APISchemas {
    private static let next = APISchema.text(
        "What to give as `after` for the next page; left out at the end."
    )

    static let service: [(String, APISchema)] = [
        (
            "Problem",
            .object(
                "What went wrong (RFC 9457).",
                [
                    ("type!", .text(example: "urn:pawl:usage")), ("title!", .text("What failed.")),
                    ("status", .whole()), ("detail", .text("While doing what.")),
                    ("code!", .text("As in docs/errors.md.")),
                    ("retry!", .word(["now", "later", "elsewhere", "never"])),
                    ("advice", .text("What to do next.")),
                ]
            )
        ),
        (
            "Status",
            .object(
                "What the daemon says of itself.",
                [
                    ("version!", .text()),
                    ("protocolVersion", .whole(from: 1)), ("processIdentifier!", .whole()),
                    ("startedAt!", .date()),
                    ("store!", .text()), ("url", .text("Of the API over TCP.")),
                    (
                        "listenProblem",
                        .text("Why it does not answer over TCP although the settings say so.")
                    ),
                    ("counts!", .counts("Downloads by state.")),
                    ("maximumConcurrentDownloads!", .whole()), ("bytesPerSecond!", .whole()),
                    ("lastEvent!", .whole()),
                ]
            )
        ),
        (
            "Session",
            .object(
                "A named set of downloads.",
                [
                    ("identifier!", .text()), ("counts!", .counts()),
                    ("process", .whole("That is attached to it.")),
                    (
                        "maximumConcurrentDownloads",
                        .whole("Of its own; left out is as the queue allows.")
                    ),
                    ("limitBytesPerSecond", .whole("Over its downloads; left out is no limit.")),
                    ("acknowledged", .whole()), ("hasRelaunchCommand", .truth()),
                ]
            )
        ),
        (
            "Sessions",
            .object("A page.", [("sessions!", .list(of: .of("Session"))), ("next", next)])
        ),
        (
            "SessionRegistration",
            .object(
                "A session whose events are kept until they are acknowledged.",
                [
                    ("identifier!", .text("1 to 200 bytes.")),
                    ("maximumConcurrentDownloads", .whole(from: 1)),
                    (
                        "limitBytesPerSecond",
                        .whole("Over its downloads; 0 is none.", from: 0)
                    ),
                    ("relaunchCommand", .list(of: .text(), "Not over TCP.")),
                ],
                isClosed: true
            )
        ),
        (
            "Acknowledgement",
            .object(
                "Up to which event everything was delivered.",
                [("session!", .text()), ("event!", .whole(from: 0))],
                isClosed: true
            )
        ),
        (
            "Login",
            .object(
                "A code or the token.",
                [("code", .text()), ("token", .text())],
                isClosed: true
            )
        ),
        (
            "LoginCode",
            .object("For a browser, once.", [("code!", .text()), ("url!", .text())])
        ),
        (
            "Host",
            .object(
                "What is done with a host now.",
                [
                    ("host!", .text(example: "example.org:443")), ("connections!", .whole(from: 0)),
                    ("streams!", .whole("Requests over shared connections.", from: 0)),
                    ("waiting!", .whole("Downloads that wait for a connection.", from: 0)),
                    ("budget!", .whole("How many connections it may get.")),
                    ("coolDownSeconds", .number("For so long it gets no new connection.")),
                ]
            )
        ),
        (
            "Hosts",
            .object("A page.", [("hosts!", .list(of: .of("Host"))), ("next", next)])
        ),
        (
            "Statistics",
            .object(
                "What the daemon has done since it began.",
                [
                    ("uptimeSeconds!", .number()), ("counts!", .counts()),
                    ("bytesPerSecond!", .whole(from: 0)), ("receivedBytes!", .whole(from: 0)),
                    ("finished!", .whole(from: 0)), ("failed!", .whole(from: 0)),
                    ("connections!", .whole(from: 0)), ("eventReaders!", .whole(from: 0)),
                    ("requests!", .whole(from: 0)),
                ]
            )
        ),
        ("Health", .object("That the daemon can do its work.", [("status!", .word(["ok"]))])),
    ]
}
