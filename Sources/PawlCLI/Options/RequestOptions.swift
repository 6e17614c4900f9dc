internal import ArgumentParser

/// The contents of requests.
struct RequestOptions: DownloadOptionGroup {
    @Option(setting: "header") var header: [String] = []
    @Option(
        name: .customLong("header-file"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Send the headers in this file, one per line, as --header does; - is standard input.",
            valueName: "file"
        )
    )
    var headerFile: [String] = []
    @Option(setting: "redirect-header") var redirectHeader: [String] = []
    @Option(setting: "user-agent") var userAgent: String?
    @Option(setting: "referer") var referer: String?
    @Option(setting: "user") var user: String?
    @Option(setting: "auth") var auth: String?
    @Option(setting: "bearer") var bearer: [String] = []
    @Option(setting: "netrc") var netrc: String?
}
