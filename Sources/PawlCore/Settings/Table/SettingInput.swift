/// The kind of input for the value of a setting in an HTML form.
package enum SettingInput: Hashable, Sendable {
    /// A line of text.
    case text
    /// A whole number.
    case number(ClosedRange<Int>)
    /// MiB per second.
    case rate
    case seconds
    /// One of several words.
    case choice([String])
    /// A checkbox.
    case flag
    /// `Name: value`.
    case field
    /// `name:password`.
    case credentials
}

/// The field of an HTML form for a setting.
package struct SettingField: Hashable, Sendable {
    package var label: String
    /// The text in an empty field, which explains what an empty field means; `nil` if the default
    /// is shown.
    package var placeholder: String?

    package init(_ label: String, placeholder: String? = nil) {
        self.label = label
        self.placeholder = placeholder
    }
}
