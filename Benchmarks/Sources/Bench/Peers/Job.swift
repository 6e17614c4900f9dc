/// The files that a tool must fetch, and the settings for that.
struct Job {
    enum Connections: Equatable {
        case fixed(Int)
        /// The tool chooses the number itself.
        case auto
    }

    /// The URLs of one file: one, or several mirrors.
    var sources: [String] = []
    /// The name for the file.
    var name = "file"
    /// The URLs of several files instead of one, each named after the last part of its URL.
    var files: [String] = []
    /// The URL of the folder above all files, each of which is named after the rest of its URL; `nil`
    /// if the files are named in a list.
    var tree: String?
    var filesAtATime = 16
    var connections = Connections.auto
    /// A PEM file of the certificate authority to trust.
    var authority: String?
    /// The digest that the file must have, in hexadecimal.
    var sha256: String?
    /// Whether to resume an existing partial file.
    var resumes = false

    var isHTTPS: Bool { (sources + files).contains { $0.hasPrefix("https:") } }

    /// Returns the path of a file of the tree, beginning with the name of its folder.
    func path(of url: String) -> String {
        guard let tree else { return Self.name(of: url) }
        return Self.name(of: tree) + "/" + url.dropFirst(tree.count)
    }

    static func name(of url: String) -> String {
        url.split(separator: "/").last.map(String.init) ?? url
    }
}
