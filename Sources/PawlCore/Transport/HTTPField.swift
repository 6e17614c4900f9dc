/// One field of an HTTP head; names compare without case (RFC 9110 §5.1).
public struct HTTPField: Hashable, Sendable {
    /// The field's name.
    public var name: String
    /// The field's value, without white space around it.
    public var value: String

    /// Makes a field of a name and a value.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
