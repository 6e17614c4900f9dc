/// The way in which the values of a setting are written: as text in a command or a list, and as
/// JSON.
package struct SettingForm<Value: Sendable>: Sendable {
    /// JSON Schema 2020-12, without a description.
    package var schema: JSONValue
    /// The names of the members if a value in JSON is an object, or a list of objects.
    package var innerMembers: [String]
    /// The name of the value in the help; `nil` for a flag.
    package var valueName: String?
    /// The kind of input in an HTML form.
    package var input: SettingInput
    /// Whether a value can be given more than once.
    private(set) var isRepeatable = false
    /// Reads the text that a user has typed.
    package var parse: @Sendable (String) throws(ValueError) -> Value
    /// Returns the value after another one was typed, which replaces the earlier one by default.
    package var join: @Sendable (_ earlier: Value, _ typed: Value) -> Value
    /// Reads a value of JSON that is not null.
    package var decode: @Sendable (JSONValue) throws(ValueError) -> Value
    package var encode: @Sendable (Value) -> JSONValue

    package init(
        schema: JSONValue,
        innerMembers: [String] = [],
        valueName: String?,
        input: SettingInput = .text,
        parse: @escaping @Sendable (String) throws(ValueError) -> Value,
        join: @escaping @Sendable (_ earlier: Value, _ typed: Value) -> Value = { $1 },
        decode: @escaping @Sendable (JSONValue) throws(ValueError) -> Value,
        encode: @escaping @Sendable (Value) -> JSONValue
    ) {
        self.schema = schema
        self.innerMembers = innerMembers
        self.valueName = valueName
        self.input = input
        self.parse = parse
        self.join = join
        self.decode = decode
        self.encode = encode
    }

    /// Returns the same form for a value that may be absent, which is null in JSON.
    package func optional() -> SettingForm<Value?> {
        let form = self
        return SettingForm<Value?>(
            schema: schema,
            innerMembers: innerMembers,
            valueName: valueName,
            input: input,
            parse: { (text) throws(ValueError) in try form.parse(text) },
            decode: { (value) throws(ValueError) in try form.decode(value) },
            encode: { $0.map(form.encode) ?? .null }
        )
    }

    /// Returns the form of a list whose values a user gives one by one.
    ///
    /// `most`: the maximum number of values in JSON; `nil` for any number.
    func list(most: Int?) -> SettingForm<[Value]> {
        let form = self
        let limit: [(String, JSONValue)] = most.map { [("maxItems", .number($0))] } ?? []
        var list = SettingForm<[Value]>(
            schema: .object([("type", "array"), ("items", schema)] + limit),
            innerMembers: innerMembers,
            valueName: valueName,
            input: input,
            parse: { (text) throws(ValueError) in [try form.parse(text)] },
            join: { $0 + $1 },
            decode: { (value) throws(ValueError) in
                guard case .list(let items) = value else {
                    throw ValueError("'\(value.brief)' is not a list", advice: "give a list")
                }
                guard items.count <= most ?? .max else {
                    throw ValueError(
                        "\(items.count) values are too many",
                        advice: "give at most \(most ?? 0)"
                    )
                }
                var values: [Value] = []
                for item in items { values.append(try form.decode(item)) }
                return values
            },
            encode: { .list($0.map(form.encode)) }
        )
        list.isRepeatable = true
        return list
    }
}

extension SettingForm {
    /// A value that is the same text in a command and in JSON.
    static func parsed(
        _ valueName: String,
        text: @escaping @Sendable (Value) -> String,
        parse: @escaping @Sendable (String) throws(ValueError) -> Value
    ) -> SettingForm {
        SettingForm(
            schema: ["type": "string"],
            valueName: valueName,
            parse: parse,
            decode: { (value) throws(ValueError) in
                guard case .text(let text) = value else {
                    throw ValueError("'\(value.brief)' is not a text", advice: "use a string")
                }
                return try parse(text)
            },
            encode: { .text(text($0)) }
        )
    }

    /// A flag that stands for one value of an earlier setting.
    package static func shorthand(for value: Value) -> SettingForm {
        let flag = SettingForm<Bool>.flag()
        return SettingForm(
            schema: flag.schema,
            valueName: nil,
            input: .flag,
            parse: { (text) throws(ValueError) in
                guard try flag.parse(text) else {
                    throw ValueError("'\(text)' has no effect", advice: "leave the option out")
                }
                return value
            },
            decode: { (_) throws(ValueError) in value },
            encode: { _ in .null }
        )
    }
}

extension SettingForm where Value == Bool {
    /// True or false; in text, the first or the second word.
    package static func words(_ first: String, _ second: String) -> SettingForm {
        var form = flag()
        form.valueName = "\(first)|\(second)"
        form.parse = { (text) throws(ValueError) in
            switch text.lowercased() {
            case first: return true
            case second: return false
            default:
                throw ValueError(
                    "invalid value '\(text.sanitized)'",
                    advice: "use \(first) or \(second)"
                )
            }
        }
        return form
    }

    /// True or false.
    ///
    /// `textIsOpposite`: whether the option turns off what the JSON member turns on.
    package static func flag(textIsOpposite: Bool = false) -> SettingForm {
        SettingForm(
            schema: ["type": "boolean"],
            valueName: nil,
            input: .flag,
            parse: { (text) throws(ValueError) in try NumberText.truth(text) != textIsOpposite },
            decode: { (value) throws(ValueError) in
                guard case .truth(let truth) = value else {
                    throw ValueError("not true or false", advice: "give true or false")
                }
                return truth
            },
            encode: { .truth($0) }
        )
    }
}

extension SettingForm where Value == Int {
    /// A whole number within a range.
    package static func count(_ range: ClosedRange<Int>) -> SettingForm {
        SettingForm(
            schema: [
                "type": "integer", "minimum": .number(range.lowerBound),
                "maximum": .number(range.upperBound),
            ],
            valueName: "n",
            input: .number(range),
            parse: { (text) throws(ValueError) in try NumberText.count(text, in: range) },
            decode: { (value) throws(ValueError) in
                guard case .number(let number) = value, range.contains(number) else {
                    throw ValueError(
                        "'\(value.brief)' is not a number from \(range.lowerBound) to "
                            + "\(range.upperBound)",
                        advice: "give a whole number in that range"
                    )
                }
                return number
            },
            encode: { .number($0) }
        )
    }
}

extension SettingForm where Value == Int64 {
    /// Bytes per second.
    package static let rate = SettingForm(
        schema: ["type": "integer", "minimum": 0],
        valueName: "rate",
        input: .rate,
        parse: { (text) throws(ValueError) in try NumberText.rate(text) },
        decode: { (value) throws(ValueError) in
            guard case .number(let number) = value, number >= 0 else {
                throw ValueError(
                    "'\(value.brief)' is not a rate",
                    advice: "give bytes per second, 0 or more"
                )
            }
            return Int64(number)
        },
        encode: { .number(Int($0)) }
    )
}

extension SettingForm where Value == Duration {
    /// Seconds, with or without a fraction.
    ///
    /// `allowsZero`: whether 0 is valid in JSON.
    package static func seconds(allowsZero: Bool = false) -> SettingForm {
        SettingForm(
            schema: allowsZero
                ? ["type": "number", "minimum": 0]
                : ["type": "number", "exclusiveMinimum": 0],
            valueName: "s",
            input: .seconds,
            parse: { (text) throws(ValueError) in try NumberText.seconds(text) },
            decode: { (value) throws(ValueError) in
                guard let seconds = value.double, seconds >= 0, seconds <= 1e9,
                    allowsZero || seconds > 0
                else {
                    throw ValueError(
                        "'\(value.brief)' is not a time",
                        advice: "give seconds, \(allowsZero ? "0 or more" : "more than 0")"
                    )
                }
                return .seconds(seconds)
            },
            encode: { .number($0.seconds) }
        )
    }
}

extension SettingForm where Value == String {
    /// One line of text.
    package static let line = SettingForm(
        schema: ["type": "string"],
        valueName: "text",
        parse: { (text) throws(ValueError) in
            guard HeaderLine.isPlain(text) else {
                throw ValueError(
                    "the text contains a line break or a control character",
                    advice: "give the text on one line"
                )
            }
            return text
        },
        decode: { (value) throws(ValueError) in
            guard case .text(let text) = value, !text.holdsUnsafeToShow else {
                throw ValueError(
                    "'\(value.brief)' is not one line of text",
                    advice: "give a text without control characters"
                )
            }
            return text
        },
        encode: { .text($0) }
    )

    /// The path of a file: any path in text, an absolute path in JSON.
    package static let file = SettingForm(
        schema: ["type": "string"],
        valueName: "file",
        parse: { (text) throws(ValueError) in text },
        decode: { (value) throws(ValueError) in
            guard case .text(let path) = value, path.isAbsolutePath else {
                throw ValueError(
                    "'\(value.brief)' is not an absolute path",
                    advice: "give an absolute path, such as /etc/ssl/ca.pem"
                )
            }
            return path
        },
        encode: { .text($0) }
    )
}

extension SettingForm
where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of several words.
    package static func choice() -> SettingForm {
        let words = Value.allCases.map(\.rawValue)
        let known = words.alternatives
        let read: @Sendable (String) throws(ValueError) -> Value = { (text) throws(ValueError) in
            guard let value = Value(rawValue: text.lowercased()) else {
                throw ValueError("invalid value '\(text.sanitized)'", advice: "use \(known)")
            }
            return value
        }
        return SettingForm(
            schema: ["type": "string", "enum": .list(words.map { .text($0) })],
            valueName: words.joined(separator: "|"),
            input: .choice(words),
            parse: read,
            decode: { (value) throws(ValueError) in
                guard case .text(let text) = value else {
                    throw ValueError("invalid value '\(value.brief)'", advice: "use \(known)")
                }
                return try read(text)
            },
            encode: { .text($0.rawValue) }
        )
    }
}

extension JSONValue {
    /// The text for an error message: a number or a short text is unchanged.
    package var brief: String {
        switch self {
        case .text(let text): text.sanitized(atMost: 200)
        case .list: "a list"
        case .members: "an object"
        case .null: "null"
        case .number(let number): "\(number)"
        case .decimal(let number): "\(number)"
        case .truth(let truth): "\(truth)"
        }
    }

    package var double: Double? {
        switch self {
        case .number(let number): Double(number)
        case .decimal(let number): number
        default: nil
        }
    }
}
