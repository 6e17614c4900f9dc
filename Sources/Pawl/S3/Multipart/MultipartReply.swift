package import PawlCore

/// A response of a storage service to a request for an object, checked for all the ways in which it
/// can report an error.
package struct MultipartReply: Sendable {
    package let head: ResponseHead
    private let body: [UInt8]

    /// Throws if the request was refused, or if it is not known whether it was carried out.
    package init(_ reply: ServiceReply) throws(ObjectFailure) {
        switch reply.outcome {
        case .cancelled: throw .cancelled
        case .failed(let failure) where reply.head.map { $0.status < 300 } ?? true:
            throw .failed(failure)
        case .stopped where reply.head.map { $0.status < 300 } ?? true:
            throw .unclear("the response is too long")
        // A refusal that was cut off is one.
        case .completed, .failed, .stopped: break
        }
        guard let head = reply.head else { throw .unclear("there is no response") }
        guard (200..<300).contains(head.status) else {
            throw .refused(ObjectRefusal(head, reply.body))
        }
        self.head = head
        // A service that needs long for its answer sends white space before it, after a status of
        // 200.
        body = Array(reply.body.drop { [9, 10, 13, 32].contains($0) })
    }

    /// The entity tag of what was stored, as the service sent it.
    var tag: String? { head["ETag"].flatMap { $0.isEmpty ? nil : $0 } }

    var checksum: ObjectChecksum? { head[ObjectChecksum.field].flatMap { ObjectChecksum($0) } }

    /// Throws if the service has received other bytes than those with a checksum.
    ///
    /// Services that do not know the checksum do not return it.
    func check(_ sent: ObjectChecksum) throws(ObjectFailure) {
        guard let checksum, checksum.parts == sent.parts else { return }
        guard checksum == sent else { throw .altered }
    }

    /// Reads the document with the result of an operation, and calls the handler with the end of each
    /// element.
    ///
    /// Throws if the document is another one, is cut off, or is an error.
    func read(
        _ operation: String,
        _ handle: (_ name: String, _ text: String) -> Void
    ) throws(ObjectFailure) {
        let reader = XMLReader("the response", failure: .badResponse)
        var found: String?
        let take = { (event: XMLEvent) throws(DownloadError) in
            switch event {
            case .start(let element): found = found ?? element.name.local
            case .end(let name, let text): handle(name.local, text)
            }
        }
        do throws(DownloadError) {
            try reader.read(body, take)
            try reader.finish(take)
        } catch {
            throw .unclear(error.message)
        }
        guard found != "Error" else { throw .refused(ObjectRefusal(head, body)) }
        // Some services name some of the documents differently from AWS.
        guard found == operation + "Result" || found == operation + "Response" else {
            throw .unclear("the response has no result of \(operation)")
        }
    }
}

extension ObjectRefusal {
    /// Reads the error of a service.
    init(_ head: ResponseHead, _ body: [UInt8]) {
        let reply = S3ErrorReply(head, body: body)
        let shown = reply.head(hint: nil)
        self.init(status: shown.status, code: reply.code, reason: shown.reason)
    }
}
