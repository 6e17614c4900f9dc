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
    @Flag(setting: "compressed") var compressed = false
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

/// The body as JSON, where `--json` does not mean the form of the output.
/// The options that change what is requested.
struct MethodOptions: DownloadOptionGroup {
    @Option(setting: "method") var method: String?
    @Option(setting: "data") var data: [String] = []
    @Option(setting: "range") var range: String?
}

struct BodyOptions: DownloadOptionGroup {
    @Option(setting: "json") var json: [String] = []
}
