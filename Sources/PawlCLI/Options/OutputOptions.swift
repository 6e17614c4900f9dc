internal import ArgumentParser

/// Where the file goes, and what it must be.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Write to this file; below --directory, if that is given too.",
            valueName: "file"
        )
    )
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp("Write into this folder. Default: the current one.", valueName: "dir")
    )
    var directory: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What to do if another file has the name: rename, overwrite, skip or fail. "
                + "Default: rename, which numbers the new one.",
            valueName: "rename|overwrite|skip|fail"
        )
    )
    var ifExists: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The file must have this checksum: md5, sha1, sha256, sha384 or sha512. "
                + "Default: the server's, if it gives one; none ignores that.",
            valueName: "algorithm=hex|none"
        )
    )
    var checksum: String?

    var assignments: [OptionAssignment] {
        var all: [OptionAssignment] = []
        if let output { all.append(OptionAssignment(.output, output)) }
        if let directory { all.append(OptionAssignment(.directory, directory)) }
        if let ifExists { all.append(OptionAssignment(.ifExists, ifExists)) }
        if let checksum { all.append(OptionAssignment(.checksum, checksum)) }
        return all
    }
}
