/// A JSON value (RFC 8259), with its members in the given order.
package enum JSONValue: Sendable, Hashable {
    /// A name and value of an object.
    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: JSONValue
    }

    case null
    case text(String)
    case number(Int)
    /// A number with a fraction.
    case decimal(Double)
    case truth(Bool)
    case list([JSONValue])
    case members([Member])

    package static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .members(members.map { Member(name: $0, value: $1) })
    }

    /// A whole number if possible.
    package static func number(_ number: Double) -> JSONValue {
        Int(exactly: number).map { .number($0) } ?? .decimal(number)
    }

    /// The value of a member; `nil` if there is none.
    package subscript(name: String) -> JSONValue? {
        guard case .members(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }
}

extension JSONValue: Codable {
    /// Decodes a value; the members of an object are sorted by name.
    package init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: MemberKey.self) {
            self = .members(
                try members.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
                    Member(
                        name: key.stringValue,
                        value: try members.decode(JSONValue.self, forKey: key)
                    )
                }
            )
        } else if var list = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
            self = .list(values)
        } else {
            self = try JSONValue(scalar: try decoder.singleValueContainer())
        }
    }

    private init(scalar value: any SingleValueDecodingContainer) throws {
        // Each value has one kind: a failure to decode it as another kind is expected.
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? value.decode(Int.self) {
            self = .number(number)
        } else if let number = try? value.decode(Double.self) {
            self = .decimal(number)
        } else {
            self = .text(try value.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .members(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for member in members {
                try container.encode(member.value, forKey: MemberKey(stringValue: member.name))
            }
        case .list(let values): try values.encode(to: encoder)
        case .null: try Bool?.none.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .decimal(let number): try number.encode(to: encoder)
        case .truth(let truth): try truth.encode(to: encoder)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral text: String) { self = .text(text) }
    package init(integerLiteral number: Int) { self = .number(number) }
    package init(booleanLiteral truth: Bool) { self = .truth(truth) }
    package init(arrayLiteral values: JSONValue...) { self = .list(values) }
    package init(dictionaryLiteral members: (String, JSONValue)...) { self = .object(members) }
}
