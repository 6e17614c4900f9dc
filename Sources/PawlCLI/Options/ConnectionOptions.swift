internal import ArgumentParser

/// How to connect to servers, and whom to trust.
struct ConnectionOptions: DownloadOptionGroup {
    @Option(setting: "proxy") var proxy: String?
    @Option(setting: "proxy-auth") var proxyAuth: String?
    @Flag(setting: "http1.1") var http11 = false
    @Flag(setting: "http2") var http2 = false
    @Flag(setting: "http3") var http3 = false
    @Flag(setting: "ipv4") var ipv4 = false
    @Flag(setting: "ipv6") var ipv6 = false
    @Option(setting: "interface") var interface: String?
    @Option(setting: "resolve") var resolve: [String] = []
    @Option(setting: "dns-over-https") var dnsOverHttps: String?
    @Flag(setting: "tcp-fast-open") var tcpFastOpen = false
    @Option(setting: "hsts") var hsts: String?
    @Option(setting: "alt-svc") var altSvc: String?
    @Option(setting: "connect-timeout") var connectTimeout: String?
    @Flag(setting: "insecure") var insecure = false
    @Option(setting: "cacert") var cacert: String?
    @Option(setting: "pinned-public-key") var pinnedPublicKey: [String] = []
    @Option(setting: "cert") var cert: String?
    @Option(setting: "key") var key: String?
    @Option(setting: "key-password") var keyPassword: String?
    @Option(setting: "known-hosts") var knownHosts: String?
    @Option(setting: "host-key") var hostKey: String?
    @Option(setting: "s3-endpoint") var s3Endpoint: String?
    @Option(setting: "s3-region") var s3Region: String?
    @Option(setting: "s3-profile") var s3Profile: String?
    @Flag(setting: "s3-anonymous") var s3Anonymous = false
}
