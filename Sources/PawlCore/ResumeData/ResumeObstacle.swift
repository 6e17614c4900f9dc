/// The reason why a download cannot be resumed later.
///
/// If a download has begun and there is no ``ResumeData``, one of these is the reason.
public enum ResumeObstacle: String, Error, Hashable, Sendable, CaseIterable, Codable {
    /// The request is not a GET.
    case notGET = "not-get"
    /// The server sent neither an entity tag nor a date.
    case noValidator = "no-validator"
    /// The server sent only a weak entity tag or a date that is too recent: another version may
    /// have the same.
    case weakValidatorOnly = "weak-validator-only"
    /// The server does not support ranges.
    case noRanges = "no-ranges"
    /// The file on the server has changed.
    case changedOnServer = "changed-on-server"
    /// The partial file is missing.
    case partialFileMissing = "partial-file-missing"
    /// The partial file contains other bytes.
    case partialFileChanged = "partial-file-changed"
    /// The body is encoded, so its offsets are not those of the file.
    case encoded
    /// Neither a validator nor a length could prove that two responses belong to one file.
    case lengthUnknown = "length-unknown"
    /// There are no received bytes: none has arrived yet, or they were wrong and were deleted.
    case nothingReceived = "nothing-received"
    /// The file is complete, so there is nothing left to fetch.
    case finished
}

extension ResumeObstacle: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notGET: "only a GET request can be resumed, and this request uses another method"
        case .noValidator:
            "the server sends nothing that proves that its file is unchanged (neither an ETag nor "
                + "Last-Modified)"
        case .weakValidatorOnly:
            "the server sends only a weak ETag or a very recent date, which another version of the "
                + "file could also have"
        case .noRanges: "the server does not support ranges"
        case .changedOnServer:
            "the file on the server has changed, or nothing proves that it is the same"
        case .partialFileMissing: "the partial file is missing"
        case .partialFileChanged:
            "the partial file no longer contains the same bytes"
        case .encoded: "the server sends the file encoded, so its parts cannot be joined"
        case .lengthUnknown:
            "the server sends neither the file's length nor a proof that it is unchanged"
        case .nothingReceived: "there are no received bytes that could be resumed"
        case .finished: "the file is complete"
        }
    }

    /// Advice on what to do next, for people.
    public var advice: String {
        switch self {
        case .notGET: "send the request again"
        case .noValidator, .weakValidatorOnly:
            "set the file's digest, which verifies the finished file, or allow resuming without a "
                + "validator, which compares bytes"
        case .noRanges, .encoded: "let the download finish, or try another source"
        case .changedOnServer, .nothingReceived: "start the download again"
        case .partialFileMissing: "give the path of the partial file, or start the download again"
        case .partialFileChanged:
            "give the path of the right partial file, or start the download again"
        case .lengthUnknown: "let the download finish"
        case .finished: "use the existing file"
        }
    }
}

extension DownloadError {
    /// Creates the error for a download that may only be resumed and cannot be.
    package init(_ obstacle: ResumeObstacle, context: String? = nil) {
        self.init(
            .notResumable,
            obstacle.description,
            advice: Advice(obstacle.advice),
            context: context
        )
        resumeObstacle = obstacle
    }
}
