internal import PawlCore
internal import PawlWire

/// Which URLs are being fetched to where, and who waits for one of them to end.
///
/// Two runs for the same bytes in the same place would only lock each other out: the second begins when the
/// first has ended, and finds the file, or continues what is there.
struct RunningPlaces: Sendable {
    /// A URL, and the file or the folder that it goes to.
    struct Place: Sendable, Hashable {
        private var url: String
        private var folder: String
        /// Nil where the server names the file.
        private var name: String?
        /// Nobody waits for what somebody else has added, whose partial files are passed over.
        private var owner: DownloadOwner?

        init(_ request: NewDownload, path: String?, owner: DownloadOwner?) {
            self.owner = owner
            // A server never sees what stands behind it.
            url = String(request.url.prefix { $0 != "#" })
            let place = path ?? request.destination
            folder = PathNames.folder(of: place)
            let last = String(place.dropFirst(folder.count))
            name = last.isEmpty ? nil : last
        }

        func mayMeet(_ other: Place) -> Bool {
            guard url == other.url, folder == other.folder, owner == other.owner else {
                return false
            }
            return name == nil || other.name == nil || name == other.name
        }
    }

    private struct Waiter: Sendable {
        var entry: QueueScheduler.Entry
        var other: Int64
    }

    private var running: [Int64: Place] = [:]
    private var byURL: [String: Set<Int64>] = [:]
    private var waiting: [Int64: Waiter] = [:]

    /// The run that a download has to wait for; nil where there is none.
    ///
    /// `ended`: runs that are over.
    func other(than id: Int64, at place: Place, ended: Set<Int64>) -> Int64? {
        (byURL[place.key] ?? []).filter { other in
            other != id && !ended.contains(other) && running[other]?.mayMeet(place) == true
        }.min()
    }

    mutating func begin(_ id: Int64, at place: Place) {
        end(id)
        running[id] = place
        byURL[place.key, default: []].insert(id)
    }

    /// A run has ended.
    private mutating func end(_ id: Int64) {
        guard let place = running.removeValue(forKey: id) else { return }
        byURL[place.key]?.remove(id)
        if byURL[place.key]?.isEmpty == true { byURL[place.key] = nil }
    }

    /// A download waits until a run has ended; returns whether there is such a run.
    mutating func wait(_ entry: QueueScheduler.Entry, for other: Int64) -> Bool {
        guard running[other] != nil else { return false }
        waiting[entry.id] = Waiter(entry: entry, other: other)
        return true
    }

    /// A download waits no longer, or for something else.
    mutating func leave(_ id: Int64) { waiting[id] = nil }

    /// Runs have ended; returns those that waited for them.
    mutating func end(_ ids: some Sequence<Int64>) -> [QueueScheduler.Entry] {
        for id in ids { end(id) }
        let free = waiting.values.filter { running[$0.other] == nil }.map(\.entry)
        for entry in free { waiting[entry.id] = nil }
        return free
    }
}

extension RunningPlaces.Place {
    fileprivate var key: String { url }
}
