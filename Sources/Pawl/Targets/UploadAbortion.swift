internal import PawlCore
internal import PawlEngine
internal import struct FoundationEssentials.URL

/// The request that aborts an upload whose parts nobody needs any more.
struct UploadAbortion: Sendable {
    /// The longest time of a request that is not repeated.
    static let longest = Duration.seconds(30)

    private let upload: MultipartUpload
    private let address: ObjectService.Address

    init(_ upload: MultipartUpload, at address: ObjectService.Address) {
        (self.upload, self.address) = (upload, address)
    }

    /// Creates the request for a recorded upload; `nil` if the record names none.
    ///
    /// `template`: returns a request for the object with a URL.
    init?(_ name: UploadName, _ template: (URL) -> TransferRequest) {
        guard name.hasUpload, let url = URL(string: name.address),
            let target = ObjectTarget(template(url))
        else { return nil }
        self.init(
            MultipartUpload(name.id, of: target),
            at: ObjectService.Address(url: url, target: target)
        )
    }

    var request: TransferRequest {
        var request = upload.abortion()
        request.maximumDuration = Self.longest
        return request
    }

    /// Reads the response; throws if the upload may still exist.
    func check(_ reply: ServiceReply) throws(ObjectFailure) { try upload.checkAborted(reply) }

    func error(_ failure: ObjectFailure) -> DownloadError {
        failure.error("aborting the upload", of: address)
    }

    /// Sends the request once, and then calls the closure, with an error if the upload may still
    /// exist.
    func send(in engine: Engine, then: @escaping @Sendable (DownloadError?) -> Void) {
        let sink = ServiceReplySink(mostBytes: 1 << 20) { reply in
            do throws(ObjectFailure) {
                try check(reply)
                then(nil)
            } catch {
                then(self.error(error))
            }
        }
        _ = engine.transport.start(request, sink: sink)
    }
}
