import FoundationEssentials
import Yams

/// Any value of JSON or YAML, for tests that examine a document.
indirect enum JSONTree: Decodable, Hashable, Sendable {
    case null
    case truth(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    init(parsing text: String) throws {
        self = try JSONDecoder().decode(JSONTree.self, from: Data(text.utf8))
    }

    init(yaml text: String) throws { self = try JSONTree(try Yams.load(yaml: text)) }

    /// A value that Yams has loaded.
    private init(_ value: Any?) throws {
        switch value {
        case nil: self = .null
        case let truth as Bool: self = .truth(truth)
        case let number as Int: self = .number(Double(number))
        case let number as Double: self = .number(number)
        case let text as String: self = .text(text)
        case let list as [Any]: self = .list(try list.map { try JSONTree($0) })
        case let members as [String: Any]:
            self = .object(try members.mapValues { try JSONTree($0) })
        default: throw UnknownYAML(description: "\(value as Any)")
        }
    }

    private struct UnknownYAML: Error { var description: String }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let truth = try? value.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([JSONTree].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: JSONTree].self))
        }
    }

    subscript(name: String) -> JSONTree? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var members: [String: JSONTree] { if case .object(let members) = self { members } else { [:] } }
    var items: [JSONTree] { if case .list(let items) = self { items } else { [] } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }
}
