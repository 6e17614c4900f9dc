internal import ArgumentParser

/// What is sent to the server, and how to connect to it.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H", allowingJoined: true), .long],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this header, such as 'Cookie: a=b', only to the server in the URL, not to those "
                + "of redirects and mirrors. May be given several times.",
            valueName: "line"
        )
    )
    var header: [String] = []

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send this header to every server, including those of redirects and "
                + "mirrors; not for secrets.",
            valueName: "line"
        )
    )
    var redirectHeader: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Send this User-Agent.", valueName: "text")
    )
    var userAgent: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Sign in with name and password. A password left out is asked for.",
            valueName: "name:password"
        )
    )
    var user: String?

    @Flag(help: "Accept any certificate. Others can then read and change what is sent.")
    var insecure = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Trust the authorities in this PEM file in place of the system's.",
            valueName: "file"
        )
    )
    var cacert: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Give up on a connection that does not stand after so many seconds. Default: 15.",
            valueName: "s"
        )
    )
    var connectTimeout: String?

    var assignments: [OptionAssignment] {
        var all = header.map { OptionAssignment(.header, $0) }
        all += redirectHeader.map { OptionAssignment(.redirectHeader, $0) }
        if let userAgent { all.append(OptionAssignment(.userAgent, userAgent)) }
        if let user { all.append(OptionAssignment(.user, user)) }
        if insecure { all.append(OptionAssignment(.insecure, "true")) }
        if let cacert { all.append(OptionAssignment(.cacert, cacert)) }
        if let connectTimeout { all.append(OptionAssignment(.connectTimeout, connectTimeout)) }
        return all
    }
}
