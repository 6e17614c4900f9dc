internal import ArgumentParser

/// The contents of requests, and how to connect to the server.
struct RequestOptions: DownloadOptionGroup {
    @Option(setting: "header") var header: [String] = []
    @Option(setting: "redirect-header") var redirectHeader: [String] = []
    @Option(setting: "user-agent") var userAgent: String?
    @Option(setting: "referer") var referer: String?
    @Option(setting: "user") var user: String?
    @Flag(setting: "insecure") var insecure = false
    @Option(setting: "cacert") var cacert: String?
    @Option(setting: "connect-timeout") var connectTimeout: String?
}
