/// The value of an option as text, and where it was given.
package struct OptionAssignment: Sendable {
    /// The key in a list; with `--` in front, the option of the command.
    package var name: String
    package var value: String
    /// The beginning of error messages: `--checksum`, or `list.txt, line 3: checksum`.
    package var location: String

    package init(_ name: String, _ value: String, location: String? = nil) {
        self.name = name
        self.value = value
        self.location = location ?? "--\(name)"
    }
}
