/// A value with HTTP fields that can be read and changed by name: a request, or settings.
///
/// Names compare without case (RFC 9110 §5.1). The methods of a request do not see the fields of the
/// settings, which are sent, too.
public protocol HTTPFieldEditing {
    /// The fields, in the order in which they are sent.
    var fields: [HTTPField] { get set }
}

extension HTTPFieldEditing {
    /// Returns the values of all fields of that name, joined by commas (RFC 9110 §5.3).
    ///
    /// It is `nil` if there is no such field.
    public func value(forHTTPHeaderField name: String) -> String? {
        fields.value(name)
    }

    /// Replaces all fields of that name with one of the given value; `nil` removes them.
    ///
    /// `nil` in a request does not remove a field that the session's settings have: remove it from
    /// the settings of the request (`DownloadRequest(url) { $0.fields.removeAll() }`).
    ///
    /// The new field takes the position and the `isForAnyOrigin` of the first one that it replaces.
    public mutating func setValue(_ value: String?, forHTTPHeaderField name: String) {
        guard let value else { return fields.removeAll { $0.hasName(name) } }
        guard let first = fields.firstIndex(where: { $0.hasName(name) }) else {
            return fields.append(HTTPField(name: name, value: value))
        }
        let isForAnyOrigin = fields[first].isForAnyOrigin
        fields[first] = HTTPField(name: name, value: value, isForAnyOrigin: isForAnyOrigin)
        let rest = fields[(first + 1)...].filter { !$0.hasName(name) }
        fields.replaceSubrange((first + 1)..., with: rest)
    }

    /// Adds a field at the end, and keeps those that have the same name.
    ///
    /// A server treats several fields of one name as one whose values are joined by commas (RFC
    /// 9110 §5.3).
    public mutating func addValue(_ value: String, forHTTPHeaderField name: String) {
        fields.append(HTTPField(name: name, value: value))
    }
}
