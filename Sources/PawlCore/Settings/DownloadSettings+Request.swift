extension DownloadSettings {
    /// The method that is sent first.
    package var requestMethod: String { method ?? (body.isEmpty ? "GET" : "POST") }

    /// Whether the request asks for a file, which can be fetched in parts and resumed.
    package var asksForFile: Bool { requestMethod == "GET" && body.isEmpty }

    /// Throws if the response to the method cannot be saved.
    package func checkMethod() throws(DownloadError) {
        guard RequestMethod.isUsable(requestMethod), requestMethod != "HEAD" else {
            throw .usage(
                "the response to \(requestMethod.sanitized(atMost: 40)) cannot be saved",
                advice: "use a method such as GET or POST"
            )
        }
        guard range == nil || asksForFile && !decodesContent else {
            throw .usage(
                "a part of a file cannot be requested with another method or with compression",
                advice: "remove the range, or the other settings"
            )
        }
        guard asksForFile || mirrors.isEmpty else {
            throw .usage(
                "only GET requests can be sent to mirrors",
                advice: "remove the mirrors, or the method and the body"
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
