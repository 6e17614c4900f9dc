internal import ArgumentParser

/// How one download is carried out.
struct TransferOptions: ParsableArguments {
    @Option(
        name: [.customShort("x", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Connections for a download, 1 to 64. Default: auto, which adds them while they pay.",
            valueName: "n|auto"
        )
    )
    var connections: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Failures in a row to bear before giving up. Default: 10.",
            valueName: "n"
        )
    )
    var retries: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Replace a connection that brings nothing for so many seconds. Default: 30.",
            valueName: "s"
        )
    )
    var stallTimeout: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Replace a connection slower than this.", valueName: "rate")
    )
    var minSpeed: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Stop a download after so many seconds; what came is kept.",
            valueName: "s"
        )
    )
    var maxTime: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The most that one download may bring, in bytes a second, as 500K or 1.5M.",
            valueName: "rate"
        )
    )
    var limit: String?

    @Flag(
        help: ArgumentHelp(
            "Wait while there is no route to the network, and go on when there is one; uses up no "
                + "retries."
        )
    )
    var waitForNetwork = false

    @Flag(help: "Start anew; what an earlier run left is set aside.")
    var noResume = false

    @Flag(
        help: ArgumentHelp(
            "Go on with a NAME.part that another tool left; needs --checksum, which proves it at the "
                + "end."
        )
    )
    var adopt = false

    var assignments: [OptionAssignment] {
        var all: [OptionAssignment] = []
        if let connections { all.append(OptionAssignment(.connections, connections)) }
        if let retries { all.append(OptionAssignment(.retries, retries)) }
        if let stallTimeout { all.append(OptionAssignment(.stallTimeout, stallTimeout)) }
        if let minSpeed { all.append(OptionAssignment(.minSpeed, minSpeed)) }
        if let maxTime { all.append(OptionAssignment(.maxTime, maxTime)) }
        if let limit { all.append(OptionAssignment(.limit, limit)) }
        if waitForNetwork { all.append(OptionAssignment(.waitForNetwork, "true")) }
        if noResume { all.append(OptionAssignment(.noResume, "true")) }
        if adopt { all.append(OptionAssignment(.adopt, "true")) }
        return all
    }
}
