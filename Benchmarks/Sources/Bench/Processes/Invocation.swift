/// The command of a tool for a job.
struct Invocation {
    /// The path of the list of URLs, relative to the tool's working folder.
    static let listPath = "../list.txt"

    var words: [String]
    /// Environment variables as `NAME=value`, in addition to those of all tools.
    var environment: [String] = []
    /// The content of the list.
    var list: String?
}
