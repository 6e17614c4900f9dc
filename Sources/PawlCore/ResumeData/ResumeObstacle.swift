/// Why a download cannot be gone on with later.
///
/// Where there is no ``ResumeData``, one of these says why.
public enum ResumeObstacle: String, Error, Hashable, Sendable, CaseIterable {
    /// The request is not a GET.
    case notGET = "not-get"
    /// The server gave neither an entity tag nor a date.
    case noValidator = "no-validator"
    /// A weak entity tag or a date too fresh: another version may look the same.
    case weakValidatorOnly = "weak-validator-only"
    /// The server does not serve ranges.
    case noRanges = "no-ranges"
    /// The file on the server is another one now.
    case changedOnServer = "changed-on-server"
    /// The partial file is not where it was.
    case partialFileMissing = "partial-file-missing"
    /// What is in the partial file's place holds other bytes.
    case partialFileChanged = "partial-file-changed"
    /// The body is encoded, so that the offsets are not the file's.
    case encoded
    /// Neither a validator nor a length could prove that two answers fit.
    case lengthUnknown = "length-unknown"
    /// No byte has come yet.
    case nothingReceived = "nothing-received"
    /// The file is complete: nothing is left to be fetched.
    case finished
}

extension ResumeObstacle: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .notGET: "only a GET can be gone on with, and this is another request"
        case .noValidator:
            "the server gives nothing to prove that its file stays the same (neither ETag nor "
                + "Last-Modified)"
        case .weakValidatorOnly:
            "the server gives only a weak ETag or a date too fresh, which another version of the "
                + "file could have too"
        case .noRanges: "the server does not serve parts of the file"
        case .changedOnServer:
            "the file on the server is another one now, or nothing proves that it is the same"
        case .partialFileMissing: "the partial file is not where it was"
        case .partialFileChanged:
            "the partial file does not hold the bytes that were left in it"
        case .encoded: "the server sends the file encoded, and parts of that do not fit together"
        case .lengthUnknown:
            "the server says neither how long the file is nor what would prove that it stays the same"
        case .nothingReceived: "nothing has been received that could be gone on with"
        case .finished: "the file is complete"
        }
    }

    /// What to do next, for people.
    public var advice: String {
        switch self {
        case .notGET: "send the request again"
        case .noValidator, .weakValidatorOnly:
            "give the file's digest, which proves it at the end, or allow to resume without a "
                + "validator, by comparing bytes"
        case .noRanges, .encoded: "let it run to its end, or look for another source"
        case .changedOnServer, .nothingReceived: "start the download anew"
        case .partialFileMissing: "say where the partial file is now, or start the download anew"
        case .partialFileChanged:
            "say where the right partial file is, or start the download anew"
        case .lengthUnknown: "let it run to its end"
        case .finished: "use the file that is there"
        }
    }
}

extension DownloadError {
    /// What was left cannot be gone on with, and the caller wants nothing else.
    package init(_ obstacle: ResumeObstacle, context: String? = nil) {
        self.init(
            .notResumable,
            obstacle.description,
            advice: obstacle.advice,
            context: context
        )
        resumeObstacle = obstacle
    }
}
