internal import PawlCore

/// The parameters of a call, without the secret.
struct Aria2Parameters: Sendable {
    private let values: [JSONValue]

    init(_ values: some Sequence<JSONValue>) { self.values = Array(values) }

    private func required<Value>(_ index: Int, _ value: Value?) throws(Aria2Error) -> Value {
        if let value { return value }
        throw Aria2Error("The parameter at \(index) is required but missing.")
    }

    private func optional<Value>(
        _ index: Int,
        _ read: (JSONValue) -> Value?
    ) throws(Aria2Error) -> Value? {
        guard index < values.count else { return nil }
        if let value = read(values[index]) { return value }
        throw Aria2Error("The parameter at \(index) has wrong type.")
    }

    func text(_ index: Int) throws(Aria2Error) -> String {
        try required(index, optional(index, \.text))
    }

    /// Whether the first parameter may be an abbreviated GID.
    var beginWithAbbreviation: Bool {
        guard let text = values.first?.text else { return false }
        return text.utf8.count < 16 && Aria2GIDs.isPrefix(text)
    }

    func number(_ index: Int) throws(Aria2Error) -> Int {
        try required(index, try optionalNumber(index))
    }

    /// A number that is not negative.
    func count(_ index: Int) throws(Aria2Error) -> Int {
        let number = try number(index)
        guard number >= 0 else {
            throw Aria2Error(
                "The integer parameter at \(index) has invalid value: the value must be greater "
                    + "than or equal to 0."
            )
        }
        return number
    }

    func optionalNumber(_ index: Int) throws(Aria2Error) -> Int? {
        try optional(index, \.number)
    }

    /// The texts of a list; other values in it are ignored, as in aria2.
    func texts(_ index: Int) throws(Aria2Error) -> [String] {
        try required(index, try optionalTexts(index))
    }

    func optionalTexts(_ index: Int) throws(Aria2Error) -> [String]? {
        try optional(index, \.items)?.compactMap(\.text)
    }

    func list(_ index: Int) throws(Aria2Error) -> [JSONValue] {
        try required(index, optional(index, \.items))
    }

    /// The options of a call; none if they are left out.
    func options(_ index: Int) throws(Aria2Error) -> [JSONValue.Member] {
        try optional(index, \.object) ?? []
    }

    func requiredOptions(_ index: Int) throws(Aria2Error) -> [JSONValue.Member] {
        guard index < values.count else { return try required(index, nil) }
        return try options(index)
    }
}

extension JSONValue {
    var text: String? { if case .text(let text) = self { text } else { nil } }

    var number: Int? { if case .number(let number) = self { number } else { nil } }

    var items: [JSONValue]? { if case .list(let items) = self { items } else { nil } }

    var object: [Member]? { if case .members(let members) = self { members } else { nil } }
}
