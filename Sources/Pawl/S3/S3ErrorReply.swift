package import PawlCore

/// The error of a storage service that refuses a request.
package struct S3ErrorReply: Sendable {
    package static let mostBytes = 16 << 10

    /// The code, such as `NoSuchKey`; `nil` if the body is not one of the service.
    package private(set) var code: String?
    /// The region of the bucket, if the request was sent to another one.
    package private(set) var region: String?
    private var message: String?
    private let head: ResponseHead

    package init(_ head: ResponseHead, body: [UInt8]) {
        self.head = head
        // Without a document, only the status shows what has failed.
        try? read(body)
        region = head["x-amz-bucket-region"] ?? region
    }

    private mutating func read(_ body: [UInt8]) throws(DownloadError) {
        let reader = XMLReader("the error", failure: .badResponse)
        try reader.read(body) { event in
            guard case .end(let name, let text) = event else { return }
            switch name.local {
            case "Code": code = code ?? text
            case "Message": message = message ?? text
            case "Region": region = region ?? text
            default: break
            }
        }
    }

    /// Returns whether a document is an error; `nil` if its beginning does not show it.
    static func isError(_ beginning: some Collection<UInt8>) -> Bool? {
        var root: String?
        // A body that is not XML is not an error document of the service.
        let isDocument: Void? = try? XMLReader("the list", failure: .badResponse)
            .read(beginning) { event in
                if case .start(let element) = event { root = root ?? element.name.local }
            }
        if let root { return root == "Error" }
        return isDocument == nil ? false : nil
    }

    /// The server's time if the request was refused because this machine's clock is wrong.
    package var serverTime: Int64? {
        guard code == "RequestTimeTooSkewed" else { return nil }
        return head["Date"].flatMap { HTTPDate(parsing: $0) }?.secondsSince1970
    }

    /// Whether temporary credentials have ended.
    package var hasExpired: Bool { code == "ExpiredToken" || code == "TokenRefreshRequired" }

    /// The head as that of HTTP's own status for the error, with the service's words as its reason.
    ///
    /// `hint` is added if access was denied.
    package func head(hint: String?) -> ResponseHead {
        var head = head
        switch code {
        case "ExpiredToken", "TokenRefreshRequired", "InvalidToken": head.status = 403
        case "RequestTimeout": head.status = 408
        // After a status of 200, which is sent before the answer is known.
        case "InternalError": head.status = 500
        case "ServiceUnavailable", "SlowDown": head.status = 503
        default: break
        }
        guard let code else {
            if let hint, head.status == 403 { head.reason += " (\(hint))" }
            return head
        }
        var reason = code.sanitized(atMost: 60)
        if let message { reason += ": \(message.trimmed.sanitized(atMost: 200))" }
        if code == "RequestTimeTooSkewed", let date = head["Date"] {
            reason += " The server's time is \(date.sanitized(atMost: 40))."
        }
        if let hint, head.status == 403 { reason += " (\(hint))" }
        head.reason = reason
        return head
    }
}
