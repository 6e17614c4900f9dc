internal import PawlCore
internal import PawlWire

extension APISchemas {
    private static let next = APISchema.text(
        "The value of `after` for the next page; omitted on the last page."
    )

    static let service: [(String, APISchema)] = [
        (
            "Problem",
            .object(
                "What went wrong (RFC 9457).",
                [
                    ("type!", .text(example: "urn:pawl:usage")), ("title!", .text("What failed.")),
                    ("status", .whole()), ("detail", .text("What was being done.")),
                    ("code!", .text("The error code; see docs/errors.md.")),
                    ("retry!", .word(["now", "later", "elsewhere", "never"])),
                    ("advice", .text("What to do next.")),
                ]
            )
        ),
        (
            "Status",
            .object(
                "The daemon's report about itself.",
                [
                    ("version!", .text()),
                    ("protocolVersion", .whole(from: 1)), ("processIdentifier!", .whole()),
                    ("startedAt!", .date()),
                    ("store!", .text()), ("url", .text("The URL of the API over TCP.")),
                    (
                        "listenProblem",
                        .text(
                            "The reason why it does not listen for TCP although the settings enable it."
                        )
                    ),
                    ("counts!", .counts("The number of downloads in each state.")),
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
                    ("process", .whole("The id of the attached process.")),
                    (
                        "maximumConcurrentDownloads",
                        .whole("The session's own limit; omitted if only the queue's applies.")
                    ),
                    (
                        "limitBytesPerSecond",
                        .whole("For its downloads together; omitted if there is no limit.")
                    ),
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
                        .whole("For its downloads together; 0 means no limit.", from: 0)
                    ),
                    ("relaunchCommand", .list(of: .text(), "Not available over TCP.")),
                ],
                isClosed: true
            )
        ),
        (
            "Acknowledgement",
            .object(
                "The event up to which everything was delivered.",
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
            .object(
                "A login code for a browser, valid once.",
                [("code!", .text()), ("url!", .text())]
            )
        ),
        (
            "Host",
            .object(
                "The current use of a host.",
                [
                    ("host!", .text(example: "example.org:443")), ("connections!", .whole(from: 0)),
                    ("streams!", .whole("Requests over shared connections.", from: 0)),
                    ("waiting!", .whole("Downloads that wait for a connection.", from: 0)),
                    ("budget!", .whole("The maximum number of connections.")),
                    ("coolDownSeconds", .number("The time until the host gets new connections.")),
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
                "The daemon's counters since it started.",
                [
                    ("uptimeSeconds!", .number()), ("counts!", .counts()),
                    ("bytesPerSecond!", .whole(from: 0)), ("receivedBytes!", .whole(from: 0)),
                    ("finished!", .whole(from: 0)), ("failed!", .whole(from: 0)),
                    ("connections!", .whole(from: 0)), ("eventReaders!", .whole(from: 0)),
                    ("requests!", .whole(from: 0)),
                ]
            )
        ),
        ("Health", .object("Reports that the daemon can work.", [("status!", .word(["ok"]))])),
    ]
}
