/// Parses `Name: value`, a field to send (RFC 9110 §5).
package enum HeaderLine {
    /// Fields that the engine itself must control.
    private static let reserved: Set<String> = [
        "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "te",
        "connection", "expect", "upgrade",
    ]

    /// Parses a header; `Name;` is one without a value, as in curl.
    ///
    /// Errors never contain the value, which may be a secret.
    ///
    /// `forAnyOrigin`: whether the header is also sent to the servers of redirects and mirrors.
    package static func parse(
        _ text: String,
        forAnyOrigin: Bool = false
    ) throws(ValueError) -> HTTPField {
        guard let mark = text.firstIndex(of: ":") ?? endOfEmpty(text) else {
            throw ValueError("the header has no colon", advice: "write 'Name: value'")
        }
        let name = String(text[..<mark])
        guard name.isToken else {
            throw ValueError(
                "'\(name)' is not a valid header name",
                advice: "use letters, digits and -, without a space before the colon"
            )
        }
        guard !reserved.contains(name.lowercased()) else {
            throw ValueError(
                "the header '\(name)' is set by Pawl",
                advice: "remove this header"
            )
        }
        let value = text[text.index(after: mark)...].trimmed(of: " \t")
        guard isPlain(value) else {
            throw ValueError(
                "the value of '\(name)' has a line break or a control character",
                advice: "give each header on one line"
            )
        }
        guard !forAnyOrigin || !SecretField.isSecret(name) else {
            throw ValueError(
                "'\(name)' is secret and is sent only to the server of the given URL",
                advice: "use \(.header); to sign in to another server, download from its URL"
            )
        }
        return HTTPField(name: name, value: value, isForAnyOrigin: forAnyOrigin)
    }

    /// The semicolon of `Name;`; `nil` in other texts.
    private static func endOfEmpty(_ text: String) -> String.Index? {
        let name = text.dropLast()
        return text.last == ";" && String(name).isToken ? name.endIndex : nil
    }

    /// Returns whether a text is a valid value: a control character could end the field.
    package static func isPlain(_ value: String) -> Bool {
        value.unicodeScalars.allSatisfy { ($0.value >= 0x20 && $0.value != 0x7F) || $0 == "\t" }
    }
}
