internal import struct FoundationEssentials.URL
package import PawlCore
internal import PawlEngine

/// What downloads have left at storage services.
extension DownloadSession {
    /// Aborts an upload that no download continues; it does not exist any more when this returns.
    package func abortUpload(
        _ name: UploadName,
        over connection: ConnectionSettings
    ) async throws(DownloadError) {
        guard let url = URL(string: name.address) else {
            throw .usage("the record of an upload has no valid URL")
        }
        var template = TransferRequest(url: url)
        template.connection = connection
        guard let target = ObjectTarget(template) else {
            throw .usage("the record of an upload names no object")
        }
        let upload = MultipartUpload(name.id, of: target)
        var request = upload.abortion()
        request.maximumDuration = ObjectDestination.longestAbort
        let reply = await engine.transport.reply(to: request)
        do throws(ObjectFailure) {
            try upload.checkAborted(reply)
        } catch {
            throw DownloadError(
                .badResponse,
                "the service has not aborted the upload: \(error.reason)",
                context: "aborting the upload of \(name.address)",
                retryClass: .later
            )
        }
    }
}

extension ObjectFailure {
    /// The reason, without secrets.
    fileprivate var reason: String {
        switch self {
        case .cancelled: "the request was cancelled"
        case .failed(let failure): failure.message
        case .refused(let refusal): "status \(refusal.status), \(refusal.reason)"
        case .unclear(let reason): reason
        case .altered: "it has received other bytes"
        }
    }
}
