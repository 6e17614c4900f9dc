/// The coded form has the members `name` and `value`, and `isForAnyOrigin` if that is `true`.
extension HTTPField: Codable {
    private enum CodingKeys: CodingKey {
        case name, value, isForAnyOrigin
    }

    /// Decodes a field.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.decode(String.self, forKey: .name),
            value: try members.decode(String.self, forKey: .value),
            isForAnyOrigin: try members.decodeIfPresent(Bool.self, forKey: .isForAnyOrigin) ?? false
        )
    }

    /// Encodes the field.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(name, forKey: .name)
        try members.encode(value, forKey: .value)
        if isForAnyOrigin { try members.encode(true, forKey: .isForAnyOrigin) }
    }
}
