/// An option of one download with its value as text, and where it was given.
package struct OptionAssignment: Sendable {
    /// The key in a list; with `--` the option.
    package var name: String
    package var value: String
    /// `--checksum`, or `list.txt, line 3: checksum`: what an error begins with.
    package var place: String

    package init(_ name: String, _ value: String, place: String? = nil) {
        self.name = name
        self.value = value
        self.place = place ?? "--\(name)"
    }
}
