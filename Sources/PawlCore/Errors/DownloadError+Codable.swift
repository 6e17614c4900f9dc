internal import struct FoundationEssentials.URL

/// The coded form has the members `code`, `message`, `advice`, `context`, `retry`, `httpStatus`,
/// `url`, `resumeData` and `resumeObstacle`, as far as they are known.
///
/// The ``cause`` is not coded. The URL may contain signatures as plain text. A code of a later
/// version keeps its name; unknown members are ignored.
extension DownloadError: Codable {
    private enum CodingKeys: CodingKey {
        case code, message, advice, context, retry, httpStatus, url, resumeData, resumeObstacle
    }

    /// Decodes an error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try members.decode(ErrorCode.self, forKey: .code),
            try members.decode(String.self, forKey: .message),
            advice: Advice(
                try members.decodeIfPresent(String.self, forKey: .advice)?.sanitized ?? ""
            ),
            context: try members.decodeIfPresent(String.self, forKey: .context),
            // Another version may have other classes.
            retryClass: try members.decodeIfPresent(String.self, forKey: .retry)
                .flatMap(RetryClass.init(rawValue:))
        )
        httpStatus = try members.decodeIfPresent(Int.self, forKey: .httpStatus)
        url = try members.decodeIfPresent(URL.self, forKey: .url)
        resumeData = try members.decodeIfPresent(ResumeData.self, forKey: .resumeData)
        // Another version may have other obstacles.
        resumeObstacle = try members.decodeIfPresent(String.self, forKey: .resumeObstacle)
            .flatMap(ResumeObstacle.init(rawValue:))
    }

    /// Encodes the error without its cause.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(code, forKey: .code)
        try members.encode(message, forKey: .message)
        if !advice.isEmpty { try members.encode(advice, forKey: .advice) }
        try members.encodeIfPresent(context, forKey: .context)
        try members.encode(retryClass.rawValue, forKey: .retry)
        try members.encodeIfPresent(httpStatus, forKey: .httpStatus)
        try members.encodeIfPresent(url, forKey: .url)
        try members.encodeIfPresent(resumeData, forKey: .resumeData)
        try members.encodeIfPresent(resumeObstacle?.rawValue, forKey: .resumeObstacle)
    }
}
