internal import Pawl
internal import PawlCore
internal import PawlWire

/// The methods that add downloads.
enum Aria2Adding {
    /// The maximum number of new downloads that are moved to a position.
    private static let mostMoved = 100

    static func addURIs(_ call: Aria2Call) async throws -> JSONValue {
        let uris = try call.parameters.texts(0)
        let options = try options(call)
        let position = try call.parameters.optionalNumber(2)
        guard !uris.isEmpty else { throw Aria2Error("URI is not provided.") }
        let new = try options.download(of: uris)
        return .text(try await add([new], gid: try options.gid(), at: position, call)[0])
    }

    static func addMetalink(_ call: Aria2Call) async throws -> JSONValue {
        let text = try call.parameters.text(0)
        let options = try options(call)
        let position = try call.parameters.optionalNumber(2)
        // aria2 does not report what is wrong, either.
        guard let bytes = [UInt8](base64: Self.withoutSpace(text)),
            let metalink = try? Metalink(bytes, name: "the Metalink", failure: .usage)
        else { throw Aria2Error("Could not parse Metalink XML document.") }
        let new = try metalink.files.map { file in try download(of: file, options) }
        guard !new.isEmpty else { throw Aria2Error("No URI to download.") }
        // Several files need different GIDs: the first one gets the chosen one.
        let gids = try await add(new, gid: try options.gid(), at: position, call)
        return .list(gids.map { .text($0) })
    }

    /// Returns base64 without its line breaks, which clients of XML-RPC add after every 76 characters.
    private static func withoutSpace(_ text: String) -> String {
        String(text.unicodeScalars.filter { !" \t\r\n".unicodeScalars.contains($0) })
    }

    private static func options(_ call: Aria2Call) throws(Aria2Error) -> Aria2GivenOptions {
        Aria2GivenOptions(try call.parameters.options(1)).completed(by: call.service.defaults)
    }

    private static func download(
        of file: Metalink.File,
        _ options: Aria2GivenOptions
    ) throws -> NewDownload {
        var uris: [String] = []
        for source in file.sources(preferring: []) where !uris.contains(source.url) {
            uris.append(source.url)
        }
        guard !uris.isEmpty else { throw Aria2Error("No URI to download.") }
        let most = DownloadSettings.mostMirrors + 1
        var new = try options.download(of: Array(uris.prefix(most)), named: file.name)
        var settings = new.settings ?? SettingsDocument()
        if let size = file.size { settings[\.expectedSize] = size }
        if let digest = file.digest { settings[\.checksum] = .digest(digest) }
        if let pieces = file.pieces { settings[\.pieces] = pieces }
        new.settings = settings
        return new
    }

    /// Adds downloads, and moves them to a position among those that wait; returns their GIDs.
    private static func add(
        _ new: [NewDownload],
        gid: String?,
        at position: Int?,
        _ call: Aria2Call
    ) async throws -> [String] {
        if let position, position < 0 {
            throw Aria2Error("Position must be greater than or equal to 0.")
        }
        let outcome = try await call.queue.add(new, key: nil, gid: gid, by: call.authority)
        let added = call.changed.adding(outcome).downloads
        // Each move rewrites the positions of those that it passes.
        if let position, added.count <= mostMoved {
            for (index, download) in added.enumerated() {
                let ids = try await call.queue.store.read { try $0.order.waiting() }
                let target = min(min(position, ids.count) + index, ids.count - 1)
                // The download exists, whatever its position is.
                _ = try? await Aria2Control.move(download, in: ids, to: max(0, target), call)
            }
        }
        return added.map(call.gid)
    }
}
