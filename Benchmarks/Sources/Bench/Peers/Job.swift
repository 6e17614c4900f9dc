/// What a tool is to fetch, and how.
struct Job {
    enum Connections: Equatable {
        case fixed(Int)
        /// As the tool itself thinks best.
        case auto
    }

    /// One file, by one URL or by several mirrors of it.
    var sources: [String] = []
    /// The name it is to get.
    var name = "file"
    /// Many files in place of it, each named by the end of its URL.
    var files: [String] = []
    var filesAtATime = 16
    var connections = Connections.auto
    /// A PEM file of the authority to trust.
    var authority: String?
    /// The digest that the file must have, in hexadecimal.
    var sha256: String?
    /// Goes on with what is there.
    var resumes = false

    var isHTTPS: Bool { (sources + files).contains { $0.hasPrefix("https:") } }

    static func name(of url: String) -> String {
        url.split(separator: "/").last.map(String.init) ?? url
    }
}
