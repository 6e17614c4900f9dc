internal import ArgumentParser

/// The destination of a file, and its checksum.
struct OutputOptions: DownloadOptionGroup {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Save to this file, or to an object of a bucket (s3://bucket/key, or s3://bucket/folder/ "
                + "for the download's own name). A relative path is relative to --directory if given. "
                + "For standard output, use -.",
            valueName: "file"
        )
    )
    var output: String?

    @Option(
        name: [.customShort("d", allowingJoined: true), .long],
        parsing: .unconditional,
        help: ArgumentHelp(
            "Save to this folder, or folder of a bucket (s3://bucket/folder/). Default: the current "
                + "folder.",
            valueName: "dir"
        )
    )
    var directory: String?

    @Option(setting: "if-exists") var ifExists: String?
    @Option(setting: "checksum") var checksum: String?
    @Flag(setting: "remote-time") var remoteTime = false
    @Flag(setting: "xattr") var xattr = false
}
