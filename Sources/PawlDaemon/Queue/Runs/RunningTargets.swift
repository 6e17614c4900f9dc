internal import Pawl
internal import PawlCore
internal import PawlWire

/// The targets of the running downloads, and the downloads that wait for one of these runs to end.
///
/// Two runs for the same bytes at the same path would only lock each other out. The second one
/// starts when the first has ended, and finds the file or continues the partial file.
struct RunningTargets: Sendable {
    /// The target of a run.
    struct Target: Sendable, Hashable {
        fileprivate private(set) var download: DownloadTarget
        /// Downloads of different owners do not share partial files, so they do not wait for each
        /// other.
        private let owner: DownloadOwner?

        init(_ request: NewDownload, path: String?, owner: DownloadOwner?) {
            download = DownloadTarget(url: request.url, path: path ?? request.destination)
            self.owner = owner
        }

        /// Whether both may become the same file, however their folders are spelled.
        func mayMeet(_ other: Target) -> Bool {
            owner == other.owner
                && download.mayMeet(other.download, resolve: FolderSpelling.resolved)
        }

        /// Returns the target with the file's path, if the server has named the file; `nil` if that
        /// gives no certainty.
        fileprivate func named(_ path: String) -> Target? {
            // A file with a number may have a partial file that another name leads to as well.
            guard download.file == nil, FileName.number(in: path) == nil else { return nil }
            var target = self
            target.download = DownloadTarget(url: download.exactURL.text, path: path)
            return target
        }
    }

    /// A download that waits for the end of a run.
    struct Waiter: Sendable {
        var entry: QueueScheduler.Entry
        var target: Target
        /// The run.
        var other: Int64
    }

    private var running: [Int64: Target] = [:]
    private var byURL: [ExactText: Set<Int64>] = [:]
    private var waiting: [Int64: Waiter] = [:]

    /// Returns a run that a download has to wait for; `nil` if there is none.
    ///
    /// `ended`: runs that have ended.
    func run(with target: Target, besides id: Int64, ended: Set<Int64>) -> Int64? {
        (byURL[target.download.exactURL] ?? []).filter { other in
            other != id && !ended.contains(other) && running[other]?.mayMeet(target) == true
        }.min()
    }

    mutating func begin(_ id: Int64, at target: Target) {
        end(id)
        running[id] = target
        byURL[target.download.exactURL, default: []].insert(id)
    }

    private mutating func end(_ id: Int64) {
        guard let target = running.removeValue(forKey: id) else { return }
        byURL[target.download.exactURL]?.remove(id)
        if byURL[target.download.exactURL]?.isEmpty == true {
            byURL[target.download.exactURL] = nil
        }
    }

    /// Lets a download wait for the end of a run; returns whether there is such a run.
    mutating func wait(_ waiter: Waiter) -> Bool {
        guard running[waiter.other] != nil else { return false }
        waiting[waiter.entry.id] = waiter
        return true
    }

    /// Notes the path of a run's file; returns the downloads that need not wait for the run.
    mutating func learn(_ path: String, ofRun id: Int64) -> [QueueScheduler.Entry] {
        guard let named = running[id]?.named(path) else { return [] }
        running[id] = named
        return release { $0.other == id && !$0.target.mayMeet(named) }
    }

    /// Whether a download waits for the end of a run.
    func isWaiting(_ id: Int64) -> Bool { waiting[id] != nil }

    /// Ends the wait of a download.
    mutating func leave(_ id: Int64) { waiting[id] = nil }

    /// Ends runs; returns the downloads that waited for them.
    mutating func end(_ ids: some Sequence<Int64>) -> [QueueScheduler.Entry] {
        for id in ids { end(id) }
        return release { [running] in running[$0.other] == nil }
    }

    private mutating func release(_ isFree: (Waiter) -> Bool) -> [QueueScheduler.Entry] {
        let free = waiting.values.filter(isFree).map(\.entry)
        for entry in free { waiting[entry.id] = nil }
        return free
    }
}
