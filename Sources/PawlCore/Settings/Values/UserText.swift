/// Reads `name:password`; if the password is left out, the user is asked for it.
package struct UserText: Hashable {
    package var name: String
    package var password: String?

    package init(name: String, password: String?) {
        self.name = name
        self.password = password
    }

    /// Parses the text; an error never contains the name or the password.
    package static func parse(_ text: String) throws(ValueError) -> UserText {
        guard HeaderLine.isPlain(text), !text.contains("\t") else {
            throw ValueError(
                "the name or password contains a control character",
                advice: "remove it: HTTP cannot transmit it (RFC 7617)"
            )
        }
        guard let mark = text.firstIndex(of: ":") else {
            guard !text.isEmpty else {
                throw ValueError("missing user name", advice: "write name:password")
            }
            return UserText(name: text, password: nil)
        }
        return UserText(
            name: String(text[..<mark]),
            password: String(text[text.index(after: mark)...])
        )
    }
}
