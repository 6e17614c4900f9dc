package import PawlCore

/// The downloads that a list is to contain.
package struct ListQuery: Sendable, Hashable {
    /// The states of the downloads; empty means any state.
    package var states: Set<TaskState> = []
    package var session: String?
    package var label: String?
    /// Ids, names and patterns of names.
    package var targets: [String] = []
    /// A text that the name or the URL must contain, ignoring case.
    package var search: String?
    /// The id after which the list begins: only higher ids; with `newestFirst`, only lower ones.
    package var after: Int64?
    package var newestFirst = false
    /// Whether to list only downloads that have not ended, or whose end the session has not
    /// acknowledged.
    package var isPending = false
    package var limit = standardLimit

    package static let standardLimit = 100
    package static let mostLimit = 1000
    private static let mostSearchBytes = 256

    package init() {}

    package static let unfinished = Set(TaskState.allCases.filter { !$0.isEnd })

    /// The states that `pawl wait --all` considers.
    ///
    /// A failed download counts, whenever it failed.
    package static let unfinishedOrFailed = unfinished.union([.failed])

    package var parameters: [String: String] {
        var parameters: [String: String] = ["limit": "\(limit)"]
        if !states.isEmpty {
            parameters["state"] = states.map(\.rawValue).sorted().joined(separator: ",")
        }
        parameters["session"] = session
        parameters["label"] = label
        if !targets.isEmpty { parameters["target"] = targets.joined(separator: "\n") }
        parameters["search"] = search
        parameters["after"] = after.map { "\($0)" }
        if newestFirst { parameters["order"] = "newest" }
        if isPending { parameters["pending"] = "true" }
        return parameters
    }

    /// Creates a query from the parameters of a URL.
    ///
    /// Throws `.usage` if they are not valid.
    package init(parameters: [(name: String, value: String)]) throws(DownloadError) {
        for (name, value) in parameters {
            switch name {
            case "limit": limit = try QueryText.number(name, value, in: 1...Int64(Self.mostLimit))
            case "state":
                for word in value.split(separator: ",") { states.insert(try Self.state(word)) }
            case "session": session = value
            case "label": label = value
            case "target":
                // An empty parameter selects nothing, rather than everything.
                targets += value.split(separator: "\n", omittingEmptySubsequences: false)
                    .map(String.init)
            case "search":
                guard (1...Self.mostSearchBytes).contains(value.utf8.count) else {
                    throw .usage("'search' must have 1 to \(Self.mostSearchBytes) bytes")
                }
                search = value
            case "after": after = try QueryText.number(name, value, in: 0...Int64.max)
            case "order":
                guard value == "newest" || value == "oldest" else {
                    throw .usage("'order' must be 'newest' or 'oldest'")
                }
                newestFirst = value == "newest"
            case "pending":
                guard value == "true" else {
                    throw .usage("invalid value for 'pending'; use 'true' or leave it out")
                }
                isPending = true
            // The route has refused parameters that it does not have.
            default: break
            }
        }
    }

    private static func state(_ word: Substring) throws(DownloadError) -> TaskState {
        guard let state = TaskState(rawValue: String(word)) else {
            let known = TaskState.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage(
                "invalid state '\(String(word).sanitized(atMost: 40))'",
                advice: "use one of \(known)"
            )
        }
        return state
    }
}
