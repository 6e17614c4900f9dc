internal import ArgumentParser

/// Who requests a file, and what the server is told.
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
    @Option(setting: "cookies") var cookies: String?
    @Option(setting: "cookies-from") var cookiesFrom: String?
}

/// What is requested, if it is not a whole file as it is stored.
struct ContentOptions: DownloadOptionGroup {
    @Option(setting: "method") var method: String?
    @Option(setting: "data") var data: [String] = []
    @Option(setting: "range") var range: String?
    @Flag(setting: "compressed") var compressed = false
}

/// The body as JSON, where `--json` does not mean the form of the output.
struct BodyOptions: DownloadOptionGroup {
    @Option(setting: "json") var json: [String] = []
}
