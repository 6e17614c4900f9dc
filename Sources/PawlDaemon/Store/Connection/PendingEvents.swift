internal import PawlCore

/// The events of a transaction, which get their numbers at its end.
///
/// A database with several writers can then number them in the order of the commits: a reader that
/// has seen an event has missed none before it.
package final class PendingEvents {
    /// The place of an event in its transaction.
    package struct Index: Hashable, Sendable {
        fileprivate var number: Int
    }

    /// An event without its number.
    struct Entry {
        var download: Int64
        var session: String?
        /// Whether it is the end of the download.
        var isEnd = false
        /// The values of the columns in the order of `EventTable.columns`, besides its id.
        var values: [SQLValue]
    }

    private var entries: [Entry] = []
    /// The sessions of the downloads that end with one of `entries`.
    private var ended: [Int64: String] = [:]
    /// The ids of the events before `entries`, which were numbered because a statement needed them.
    private var ids: [Int64] = []
    /// The responses of servers that are kept with an event of `entries`, by the event's place.
    private var responses: [Int: ErrorResponseTable.Entry] = [:]

    package init() {}

    func append(_ entry: Entry) -> Index {
        entries.append(entry)
        if entry.isEnd { ended[entry.download] = entry.session }
        return Index(number: ids.count + entries.count - 1)
    }

    /// Whether no event is still to be numbered.
    var isEmpty: Bool { entries.isEmpty }

    /// Whether an event has got its number.
    var hasNumbers: Bool { !ids.isEmpty }

    /// Whether there is an event of a download that is still to be numbered.
    func contains(of download: Int64) -> Bool { entries.contains { $0.download == download } }

    /// Whether the end of a download of a session is still to be numbered.
    func containsEnd(of download: Int64, in session: String) -> Bool {
        ended[download]?.isExactly(session) == true
    }

    /// Returns the id of an event that has its number; `nil` if the event is still to be numbered.
    func id(of event: Index) -> Int64? {
        ids.indices.contains(event.number) ? ids[event.number] : nil
    }

    /// Keeps a response with an event that is still to be numbered.
    func attach(_ response: ErrorResponseTable.Entry, to event: Index) {
        responses[event.number] = response
    }

    /// Removes the responses of the downloads that meet a condition.
    func removeResponses(where condition: (ErrorResponseTable.Entry) -> Bool) {
        guard !responses.isEmpty else { return }
        responses = responses.filter { !condition($0.value) }
    }

    /// Removes all events, and gives them their numbers, which `write` stores with the events and
    /// their responses.
    ///
    /// `take` is called once: it takes as many numbers as it is told, and returns the last one.
    func number(
        _ take: (Int) throws -> Int64,
        _ write: (Int64, Entry, ErrorResponseTable.Entry?) throws -> Void
    ) rethrows {
        guard !entries.isEmpty else { return }
        let taken = entries
        (entries, ended) = ([], [:])
        var id = try take(taken.count) - Int64(taken.count)
        for entry in taken {
            id += 1
            try write(id, entry, responses.removeValue(forKey: ids.count))
            ids.append(id)
        }
    }
}
