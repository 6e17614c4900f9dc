internal import PawlCore

/// Chooses among what the daemon has, such as sessions or labels, by names and patterns of names.
enum NamedChoice {
    /// Returns the items that one of the names matches, each once.
    ///
    /// - Parameters:
    ///   - kind: What an item is called, for the error; `pawl KIND list` lists them.
    /// - Throws: `.notFound` for a name that matches none.
    static func items<Item>(
        _ names: [String],
        of all: [Item],
        _ kind: String,
        matches: (Item, String) -> Bool
    ) throws(DownloadError) -> [Item] {
        for name in names where !all.contains(where: { matches($0, name) }) {
            throw DownloadError(
                .notFound,
                "no \(kind) matches '\(name.sanitized(atMost: 100))'",
                advice: "see 'pawl \(kind) list'"
            )
        }
        return all.filter { item in names.contains { matches(item, $0) } }
    }
}

extension [String: Int] {
    /// Numbers of downloads per state, as `2 finished, 1 running`; `-` if there are none.
    var statesText: String {
        isEmpty
            ? "-"
            : sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    }
}
