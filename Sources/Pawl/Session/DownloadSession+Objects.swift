internal import struct FoundationEssentials.URL
package import PawlCore
internal import PawlEngine

/// What downloads have left at storage services.
extension DownloadSession {
    /// Aborts an upload that no download continues; it does not exist any more when this returns.
    ///
    /// A record that names no object needs nothing.
    package func abortUpload(
        _ name: UploadName,
        over connection: ConnectionSettings
    ) async throws(DownloadError) {
        let abortion = UploadAbortion(name) { url in
            var request = TransferRequest(url: url)
            request.connection = connection
            return request
        }
        guard let abortion else { return }
        let reply = await engine.transport.reply(to: abortion.request)
        do throws(ObjectFailure) {
            try abortion.check(reply)
        } catch {
            throw abortion.error(error)
        }
    }
}
