package import PawlCore

/// Why a request for an object had no effect, or none that is known.
package enum ObjectFailure: Error, Hashable, Sendable {
    case cancelled
    /// The exchange failed: if the request was sent, it may have been carried out.
    case failed(TransferFailure)
    /// The service refused the request.
    case refused(ObjectRefusal)
    /// The response does not show what has happened; the text is the reason.
    case unclear(String)
    /// The service has received other bytes than were sent.
    case altered
}

/// The refusal of a request by a storage service.
package struct ObjectRefusal: Hashable, Sendable {
    /// The status, or that which stands for an error after a status of 200.
    package let status: Int
    /// The service's code, such as `NoSuchUpload`; `nil` if it sent none.
    package let code: String?
    /// The service's words, made safe to show.
    package let reason: String

    package init(status: Int, code: String?, reason: String) {
        (self.status, self.code, self.reason) = (status, code, reason)
    }

    /// Whether the condition for writing is not met: there is an object, or another one.
    package var isConditionUnmet: Bool {
        status == 412 || code == "PreconditionFailed"
            // The object that should be unchanged does not exist.
            || code == "NoSuchKey"
    }

    /// Whether another request for the same object was carried out at the same time.
    ///
    /// An object may be put again; an upload in parts must begin again.
    package var isConflict: Bool {
        code == "ConditionalRequestConflict" || code == "OperationAborted"
    }

    /// Whether the upload was completed or aborted, or never existed.
    package var isWithoutUpload: Bool { code == "NoSuchUpload" }

    /// Whether the service does not know the kind of request, or a condition in it.
    package var isUnknownRequest: Bool { status == 501 || code == "NotImplemented" }

    /// Whether the service may carry out the same request later.
    package var isTemporary: Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
            || ["SlowDown", "InternalError", "RequestTimeout", "ServiceUnavailable"].contains(code)
    }
}
