internal import PawlCore
internal import PawlWire

/// A message to a client about a download (pure).
enum Aria2Notification {
    /// The notification of each kind of event; other events have none.
    private static let methods: [WireEvent.Kind: String] = [
        .started: "aria2.onDownloadStart",
        .paused: "aria2.onDownloadPause",
        .cancelled: "aria2.onDownloadStop",
        .finished: "aria2.onDownloadComplete",
        .failed: "aria2.onDownloadError",
    ]

    static let names = [
        "aria2.onDownloadStart", "aria2.onDownloadPause", "aria2.onDownloadStop",
        "aria2.onDownloadComplete", "aria2.onDownloadError",
    ]

    static func bytes(_ event: WireEvent, _ gids: Aria2GIDs) -> [UInt8]? {
        guard let method = methods[event.kind], let id = event.download else { return nil }
        return JSONWriter.bytes([
            "jsonrpc": "2.0", "method": .text(method), "params": [["gid": .text(gids.gid(of: id))]],
        ])
    }
}
