/// Advice on what to do next, which each reader gets in their own words.
///
/// It consists of text and of terms: `"choose \(.otherName), or \(set: .ifExists, to: "rename")"`.
/// The words of the terms are in ``AdviceSetting`` and ``AdvicePhrase``. Control characters in the
/// text are replaced.
package struct Advice: Sendable, Hashable {
    private enum Part: Sendable, Hashable {
        case text(String)
        case phrase(AdvicePhrase)
        /// The name of a setting.
        case setting(AdviceSetting)
        /// The request to give a setting one of some values.
        case set(AdviceSetting, [String])
    }

    private var parts: [Part] = []

    /// Creates advice of text without terms.
    package init(_ text: String) { append(text) }

    private init(_ parts: [Part]) { self.parts = parts }

    package var isEmpty: Bool { parts.isEmpty }

    /// Returns the advice in the words of a reader.
    package func text(for reader: AdviceReader) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .phrase(let phrase): phrase.words(for: reader)
            case .setting(let setting): setting.name(for: reader)
            case .set(let setting, let values): setting.request(values, for: reader)
            }
        }.joined()
    }

    /// Returns the advice with `new` in place of each `old` in its text.
    package func replacing(_ old: String, with new: String) -> Advice {
        Advice(
            parts.map { part in
                if case .text(let text) = part {
                    .text(text.replacing(old, with: new))
                } else {
                    part
                }
            }
        )
    }

    /// Returns the advice with other advice in place of each phrase.
    package func replacing(_ phrase: AdvicePhrase, with advice: Advice) -> Advice {
        parts.reduce(Advice([])) { $0 + ($1 == .phrase(phrase) ? advice : Advice([$1])) }
    }

    /// Returns the advice with other advice in place of each use of a setting.
    package func replacing(_ setting: AdviceSetting, with advice: Advice) -> Advice {
        parts.reduce(Advice([])) { sum, part in
            switch part {
            case .setting(setting), .set(setting, _): sum + advice
            default: sum + Advice([part])
            }
        }
    }

    package static func + (left: Advice, right: Advice) -> Advice {
        var sum = left
        sum += right
        return sum
    }

    package static func += (left: inout Advice, right: Advice) {
        for part in right.parts { left.append(part) }
    }

    private mutating func append(_ part: Part) {
        if case .text(let text) = part { append(text) } else { parts.append(part) }
    }

    /// Appends text to the last part if that is text, so that equal advice has equal parts.
    private mutating func append(_ text: String) {
        guard !text.isEmpty else { return }
        if case .text(let last) = parts.last {
            parts[parts.count - 1] = .text(last + text.sanitized)
        } else {
            parts.append(.text(text.sanitized))
        }
    }
}

/// The reader of advice, who knows a setting by the name with which they can give it.
package enum AdviceReader: Sendable, Hashable, CaseIterable {
    /// A program's author and its users: properties of the library.
    case library
    /// The user of `pawl`: options of the command.
    case command
    /// A client of the daemon: members in JSON.
    case api
}

extension Advice: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var advice = Advice([])

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { advice.append(literal) }

        /// Appends a value as text.
        package mutating func appendInterpolation<Value>(_ value: Value) {
            advice.append("\(value)" as String)
        }

        package mutating func appendInterpolation(_ other: Advice) { advice += other }

        package mutating func appendInterpolation(_ phrase: AdvicePhrase) {
            advice.append(.phrase(phrase))
        }

        /// Appends the name of a setting: `--max-time`.
        package mutating func appendInterpolation(_ setting: AdviceSetting) {
            advice.append(.setting(setting))
        }

        /// Appends a request to give a setting one of some values: `use --if-exists rename`.
        ///
        /// The value of a flag is `true` or `false`.
        package mutating func appendInterpolation(set setting: AdviceSetting, to values: String...)
        {
            advice.append(.set(setting, values))
        }
    }

    package init(stringLiteral value: String) { self.init(value) }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.advice }
}

/// The template of advice is text in which a term is in braces: `choose {phrase other-name}`.
///
/// Spaces separate the fields of a term. `%`, `{` and `}` in text are percent-encoded. Stored
/// errors contain templates, so the existing terms stay valid.
extension Advice {
    /// The advice as a template; `nil` if it has no terms, so that its text is enough.
    package var template: String? {
        var hasTerms = false
        let text = parts.map { part -> String in
            if case .text(let text) = part { return Self.escaped(text) }
            hasTerms = true
            return "{\(Self.fields(part).joined(separator: " "))}"
        }.joined()
        return hasTerms ? text : nil
    }

    /// Reads a template.
    ///
    /// Returns `nil` for one that is not valid, or has terms of a later version.
    package init?(template: String) {
        var rest = template.sanitized[...]
        while let start = rest.firstIndex(of: "{") {
            guard let end = rest[start...].firstIndex(of: "}"),
                let term = Self.term(
                    rest[rest.index(after: start)..<end]
                        .split(separator: " ", omittingEmptySubsequences: false)
                        .map(String.init)
                )
            else { return nil }
            append(Self.unescaped(rest[..<start]))
            append(term)
            rest = rest[rest.index(after: end)...]
        }
        append(Self.unescaped(rest))
    }

    private static func fields(_ part: Part) -> [String] {
        switch part {
        case .text(let text): [text]
        case .phrase(let phrase): ["phrase", phrase.rawValue]
        case .setting(let setting): ["setting", setting.rawValue]
        case .set(let setting, let values): ["set", setting.rawValue] + values
        }
    }

    private static func term(_ fields: [String]) -> Part? {
        guard fields.count >= 2 else { return nil }
        let (name, values) = (fields[1], Array(fields[2...]))
        switch fields[0] {
        case "phrase" where values.isEmpty: return AdvicePhrase(rawValue: name).map(Part.phrase)
        case "setting" where values.isEmpty: return AdviceSetting(rawValue: name).map(Part.setting)
        case "set" where !values.isEmpty:
            return AdviceSetting(rawValue: name).map { .set($0, values) }
        default: return nil
        }
    }

    /// The escapes; that of the percent sign is first when escaping and last when reading.
    private static let escapes = [("%", "%25"), ("{", "%7B"), ("}", "%7D")]

    private static func escaped(_ text: String) -> String {
        escapes.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    private static func unescaped(_ text: Substring) -> String {
        escapes.reversed().reduce(String(text)) { $0.replacing($1.1, with: $1.0) }
    }
}
