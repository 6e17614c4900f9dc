extension DownloadSettings {
    /// The method that is sent first.
    package var requestMethod: String { method ?? (body.isEmpty ? "GET" : "POST") }

    /// Whether the request asks for a file, which can be fetched in parts and resumed.
    package var asksForFile: Bool { requestMethod == "GET" && body.isEmpty }

    /// Throws if the response to the request cannot be saved as a file.
    package func checkRequest() throws(DownloadError) {
        guard RequestMethod.isUsable(requestMethod), requestMethod != "HEAD" else {
            throw .usage(
                "the response to \(requestMethod.sanitized(atMost: 40)) cannot be saved",
                advice: "use a method such as GET or POST"
            )
        }
        guard !fields.contains(where: { $0.hasName("Range") }) else {
            throw .usage(
                "a download cannot send a `Range` field, which Pawl sets itself to resume",
                advice: "remove the field; to download a part of the file, use \(.range)"
            )
        }
        guard connection.cookieFile == nil || connection.browserProfile == nil else {
            throw .usage(
                "a cookie file and the cookies of a browser cannot be combined",
                advice: "remove one of them"
            )
        }
        if let range {
            let isUsable = range.isFromEnd ? range.end == nil : range.end.map { $0 > range.start }
            guard isUsable != false else {
                throw .usage("the range is empty", advice: "give an end after the start")
            }
        }
        guard range == nil || asksForFile && !decodesContent else {
            throw .usage(
                "a part of a file cannot be requested with another method or with compression",
                advice: "remove the range, or the other settings"
            )
        }
        guard asksForFile && range == nil || mirrors.isEmpty else {
            throw .usage(
                "mirrors can only be used for plain requests for a whole file",
                advice: "remove the mirrors, or the method, the body and the range"
            )
        }
    }

    /// The type of a body for which the fields contain none.
    package static let formType = "application/x-www-form-urlencoded"

    /// Adds the fields of a request whose body is JSON, unless the user gave others.
    package mutating func describeBodyAsJSON() {
        for name in ["Content-Type", "Accept"]
        where !fields.contains(where: { $0.hasName(name) }) {
            fields.append(HTTPField(name: name, value: "application/json"))
        }
    }
}
