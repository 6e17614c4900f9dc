/// How a tool is called for a job.
struct Invocation {
    /// The list of what to fetch, seen from where the tool runs.
    static let listPath = "../list.txt"

    var words: [String]
    /// `NAME=value`, besides what all tools get.
    var environment: [String] = []
    /// What stands in the list.
    var list: String?
}
