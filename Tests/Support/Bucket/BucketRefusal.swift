import PawlCore

/// An error that a bucket answers.
struct BucketRefusal: Error {
    var status: Int
    var code: String
    var message: String
    /// Further elements of the document, by name.
    var details: [(name: String, value: String)] = []

    init(
        _ status: Int,
        _ code: String,
        _ message: String,
        _ details: [(name: String, value: String)] = []
    ) {
        (self.status, self.code, self.message, self.details) = (status, code, message, details)
    }

    static func invalid(_ message: String) -> BucketRefusal {
        BucketRefusal(400, "InvalidRequest", message)
    }

    static func invalidArgument(_ message: String) -> BucketRefusal {
        BucketRefusal(400, "InvalidArgument", message)
    }

    static func notImplemented(_ what: String) -> BucketRefusal {
        BucketRefusal(501, "NotImplemented", "\(what) is not implemented.")
    }

    static func preconditionFailed(_ field: String) -> BucketRefusal {
        BucketRefusal(
            412,
            "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            [("Condition", field)]
        )
    }

    static let noSuchUpload = BucketRefusal(
        404,
        "NoSuchUpload",
        "The specified multipart upload does not exist. The upload ID might be invalid, or the "
            + "multipart upload might have been aborted or completed."
    )
    static let noSuchKey = BucketRefusal(
        404,
        "NoSuchKey",
        "The specified key does not exist."
    )

    /// The answer; `status` may differ from that of the error.
    func plan(status: Int? = nil) -> ResponsePlan {
        let content = ([("Code", code), ("Message", message)] + details)
            .map { BucketDocument.element($0.0, $0.1) }.joined()
        return BucketDocument.plan("Error", content, status: status ?? self.status, isNamed: false)
    }
}
