/// The content of `user-dirs.dirs`: lines of the form `XDG_NAME_DIR="$HOME/yyy"` or
/// `XDG_NAME_DIR="/yyy"`.
///
/// The last line of a name counts.
///
/// Other lines are ignored, as in xdg-user-dirs.
package struct UserDirectories: Hashable, Sendable {
    private var paths: [String: String] = [:]

    package init(_ text: String, home: String?) {
        for line in text.split(whereSeparator: \.isNewline) {
            guard let (name, path) = Self.read(line, home: home) else { continue }
            paths[name] = path
        }
    }

    /// The folder of a name such as `DOCUMENTS`, without trailing slashes.
    package subscript(name: String) -> String? { paths[name] }

    private static func read(_ line: Substring, home: String?) -> (String, String)? {
        guard let equals = line.firstIndex(of: "=") else { return nil }
        let variable = line[..<equals].filter { $0 != " " && $0 != "\t" }
        guard variable.hasPrefix("XDG_"), variable.hasSuffix("_DIR"), variable.count > 8 else {
            return nil
        }
        let name = String(variable.dropFirst(4).dropLast(4))
        let value = line[line.index(after: equals)...].drop { $0 == " " || $0 == "\t" }
        guard value.first == "\"", let text = unquoted(value.dropFirst()) else { return nil }
        return path(text, home: home).map { (name, $0) }
    }

    /// Returns the text up to the closing quote.
    ///
    /// A backslash quotes the next character.
    private static func unquoted(_ text: Substring) -> (raw: Substring, text: String)? {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                return (text, result)
            } else {
                result.append(character)
            }
        }
        return nil
    }

    private static func path(_ value: (raw: Substring, text: String), home: String?) -> String? {
        guard value.raw.hasPrefix("$HOME") else { return PlaceSurroundings.absolute(value.text) }
        let rest = value.text.dropFirst(5)
        guard let home, rest.isEmpty || rest.isAbsolutePath else { return nil }
        return PlaceSurroundings.absolute((home == "/" ? "" : home) + rest + "/")
    }
}
