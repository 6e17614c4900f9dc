internal import PawlCore
internal import PawlWire

/// A call of a method whose secret was valid.
struct Aria2Call: Sendable {
    let service: Aria2Service
    let authority: Authority
    let parameters: Aria2Parameters
    /// Records the downloads that the call changes.
    let changed: ChangedDownloads
    /// The number of bytes that the result may have (`JSONWriter.size`).
    let room: Int

    var queue: DaemonQueue { service.queue }

    func gid(_ download: WireDownload) -> String { service.gids.gid(of: download.id) }

    /// Returns the download whose GID is the first parameter, with its current progress.
    func download() async throws -> WireDownload {
        let gid = try parameters.text(0)
        let id = try await id(of: gid)
        guard let download = try await queue.store.read({ try $0.downloads.find(id) }) else {
            throw Aria2Error("GID \(gid) is not found")
        }
        return queue.running.overlay([download])[0]
    }

    /// Returns the id of a GID, which may be abbreviated to its first digits.
    private func id(of gid: String) async throws -> Int64 {
        if let id = service.gids.id(of: gid) { return id }
        guard Aria2GIDs.isPrefix(gid) else {
            throw Aria2Error("Invalid GID \(gid.sanitized(atMost: 40))")
        }
        let all = try await queue.store.read { try $0.downloads.ids() }
        let found = service.gids.ids(all, withPrefix: gid)
        guard let id = found.first else { throw Aria2Error("GID \(gid) is not found") }
        guard found.count == 1 else { throw Aria2Error("GID \(gid) is not unique") }
        return id
    }

    /// Performs an action on one download.
    func act(_ action: QueueAction, on download: WireDownload) async throws {
        let selection = Selection(targets: ["\(download.id)"])
        changed.adding(try await queue.act(action, on: selection, by: authority))
    }

    func change(_ download: WireDownload, _ changes: DownloadChanges) async throws {
        let selection = Selection(targets: ["\(download.id)"])
        changed.adding(try await queue.change(selection, changes, by: authority))
    }

    /// Returns the request of a download; `nil` after it has ended.
    func request(of download: WireDownload) async throws -> NewDownload? {
        let body = try await queue.store.read { try $0.requests.request(of: download.id) }
        return try body.map { (bytes) throws(DownloadError) in
            try WireJSON.decode(NewDownload.self, from: bytes)
        }
    }
}
