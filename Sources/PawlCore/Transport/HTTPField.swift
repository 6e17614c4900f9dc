/// One field of an HTTP head; the case of names is ignored (RFC 9110 §5.1).
public struct HTTPField: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// The field's value, without surrounding white space.
    public var value: String
    /// Whether the field is also sent to origins other than that of the URL: those that a redirect
    /// leads to, and mirrors.
    ///
    /// The default is `false`. Secret fields, such as `Authorization` and `Cookie`, stay with their
    /// origin in any case. Resume data does not contain this mark.
    public var isForAnyOrigin: Bool

    /// Creates a field from a name and a value.
    public init(name: String, value: String, isForAnyOrigin: Bool = false) {
        self.name = name
        self.value = value
        self.isForAnyOrigin = isForAnyOrigin
    }
}

extension HTTPField {
    /// Whether the field has this name, ignoring the case of ASCII letters.
    ///
    /// Valid names have no others.
    package func hasName(_ other: String) -> Bool {
        let (left, right) = (name.utf8, other.utf8)
        guard left.count == right.count else { return false }
        for (left, right) in zip(left, right)
        where left.lowercasedASCII != right.lowercasedASCII { return false }
        return true
    }
}

extension [HTTPField] {
    /// Returns the values of all fields of that name, in order.
    package func values(_ name: String) -> [String] { filter { $0.hasName(name) }.map(\.value) }

    /// Returns the values of all fields of that name, joined by commas (RFC 9110 §5.3).
    ///
    /// It is `nil` if there is no such field.
    package func value(_ name: String) -> String? {
        var joined: String?
        for index in indices where self[index].hasName(name) {
            joined = joined.map { "\($0), \(self[index].value)" } ?? self[index].value
        }
        return joined
    }
}
