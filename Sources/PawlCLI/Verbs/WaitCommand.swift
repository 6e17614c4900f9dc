internal import ArgumentParser
internal import Pawl
internal import PawlCore
internal import PawlWire

/// `pawl wait`: returns when downloads have ended.
struct WaitCommand: PawlVerb {
    static let configuration = CommandConfiguration(
        commandName: "wait",
        abstract: "Wait until downloads of the daemon have ended.",
        discussion: """
            The exit status is 0 if all ended well, otherwise that of the first one by id that did \
            not; 7 for one that is paused.
            """
    )

    @OptionGroup var targets: TargetOptions

    func prepare(_ console: Console) throws(DownloadError) -> VerbWork {
        let (selection, json) = (try targets.selection(), targets.json)
        return try daemonWork(console) { (client) async throws(DownloadError) in
            let ended = try await client.waitForEnd(of: selection)
            if json { console.output(JSONText.pretty(ended) + "\n") }
            var status: Int32 = 0
            for download in ended {
                guard let error = download.endError else { continue }
                if !json { console.report(error) }
                status = status == 0 ? error.code.exitStatus : status
            }
            return status
        }
    }
}

extension WireDownload {
    /// Nil where it ended well.
    var endError: DownloadError? {
        let what = "download \(id) (\(name))"
        switch state {
        case .finished: return nil
        case .failed: return problem?.error ?? DownloadError(.unknown, "\(what) failed")
        case .cancelled: return DownloadError(.cancelled, "\(what) was cancelled")
        case .waiting, .waitingForConnectivity, .running, .suspended, .paused:
            return DownloadError(
                .interrupted,
                "\(what) is paused",
                advice: "pawl resume \(id) goes on"
            )
        }
    }
}

extension DaemonClient {
    /// Those that were meant when it was asked, as they are when the last of them has ended, or is
    /// paused; one that was removed meanwhile is left out.
    func waitForEnd(of selection: Selection) async throws(DownloadError) -> [WireDownload] {
        var query = ListQuery()
        query.limit = ListQuery.mostLimit
        query.session = selection.session
        if selection.all == true { query.states = ListQuery.unfinished }
        // The event's number first: what happens behind it is told.
        let last = try await status().lastEvent
        var known: [Int64: WireDownload] = [:]
        for targets in selection.targets.map({ $0.map { [$0] } }) ?? [[]] {
            query.targets = targets
            let found = try await all(query)
            if let target = targets.first, found.isEmpty { throw ShowCommand.notFound(target) }
            for download in found { known[download.id] = download }
        }
        var open = Set(known.values.filter { !$0.state.isStill }.map(\.id))
        guard !open.isEmpty else { return known.values.sorted { $0.id < $1.id } }
        for try await element in try await events(after: last) {
            guard case .event(let event) = element, let id = event.download, known[id] != nil
            else { continue }
            switch event.kind {
            case .finished, .failed, .cancelled, .paused, .removed: open.remove(id)
            case .resumed: open.insert(id)
            case .added, .started, .retrying, .changed, .settings: continue
            }
            if open.isEmpty { return try await now(known.keys) }
        }
        throw DownloadError(
            .daemonUnavailable,
            "the daemon ended while it was waited for",
            advice: "start it: pawl daemon start; then wait again"
        )
    }

    private func now(_ ids: some Sequence<Int64>) async throws(DownloadError) -> [WireDownload] {
        var downloads: [WireDownload] = []
        for id in ids.sorted() {
            do throws(DownloadError) {
                downloads.append(try await download(id))
            } catch {
                guard error.code == .notFound else { throw error }
            }
        }
        return downloads
    }
}

extension TaskState {
    /// Nothing happens before somebody asks for it.
    fileprivate var isStill: Bool { isEnd || self == .paused || self == .suspended }
}
