internal import ArgumentParser

/// How a file is transferred.
struct TransferOptions: DownloadOptionGroup {
    @Option(setting: "connections") var connections: String?
    @Option(setting: "retries") var retries: String?
    @Option(setting: "stall-timeout") var stallTimeout: String?
    @Option(setting: "min-speed") var minSpeed: String?
    @Option(setting: "max-time") var maxTime: String?
    @Option(setting: "limit") var limit: String?
    @Option(setting: "max-redirects") var maxRedirects: String?
    @Flag(setting: "wait-for-network") var waitForNetwork = false
    @Flag(setting: "no-host-memory") var noHostMemory = false
}

/// What happens to the bytes of an earlier run.
struct ResumeOptions: DownloadOptionGroup {
    @Flag(setting: "no-resume") var noResume = false
    @Flag(setting: "adopt") var adopt = false
}
