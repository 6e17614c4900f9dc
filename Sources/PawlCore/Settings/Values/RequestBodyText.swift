internal import struct FoundationEssentials.Data

extension SettingForm where Value == [UInt8] {
    /// The body of a request: UTF-8 in text; other bytes are an object with base64 in JSON.
    ///
    /// `separator`: the text between two values that a user gives.
    static func body(joinedWith separator: String) -> SettingForm {
        SettingForm(
            schema: [
                "type": ["string", "object"],
                "properties": ["base64": ["type": "string", "format": "byte"]],
                "required": ["base64"], "additionalProperties": false,
            ],
            innerMembers: ["base64"],
            valueName: "text",
            parse: { (text) throws(ValueError) in Array(text.utf8) },
            join: { earlier, typed in
                earlier.isEmpty ? typed : earlier + Array(separator.utf8) + typed
            },
            decode: { (value) throws(ValueError) in
                if case .text(let text) = value { return Array(text.utf8) }
                guard case .text(let text)? = value["base64"],
                    let bytes = Data(base64Encoded: text)
                else {
                    throw ValueError(
                        "the body is neither text nor base64",
                        advice: "give a text, or an object with the member base64"
                    )
                }
                return Array(bytes)
            },
            encode: { bytes in
                if let text = String(validating: bytes, as: UTF8.self) { return .text(text) }
                return ["base64": .text(Data(bytes).base64EncodedString())]
            }
        )
    }
}

extension SettingForm where Value == String {
    /// A method whose response can be saved.
    static let method = SettingForm(
        schema: ["type": "string", "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"],
        valueName: "method",
        parse: { (text) throws(ValueError) in try checked(text) },
        decode: { (value) throws(ValueError) in
            guard case .text(let text) = value else {
                throw ValueError("'\(value.brief)' is not a method", advice: "give a text")
            }
            return try checked(text)
        },
        encode: { .text($0) }
    )

    private static func checked(_ method: String) throws(ValueError) -> String {
        guard RequestMethod.isUsable(method), method != "HEAD" else {
            throw ValueError(
                "'\(method.sanitized(atMost: 40))' is not a method with a response to save",
                advice: "use a method such as GET or POST"
            )
        }
        return method
    }
}
