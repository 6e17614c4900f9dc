internal import PawlCore

/// The namespaces that apply where a document is being read.
///
/// libexpat would copy the text of a namespace for each name that belongs to it. Here all of these
/// names share one text.
struct XMLNamespaces {
    /// The maximum length of a namespace, in bytes.
    private static let longest = 1 << 10
    private static let xml = "http://www.w3.org/XML/1998/namespace"

    /// The namespaces of each prefix, the innermost last; the empty prefix is the default.
    private var declared: [ExactText: [String]] = ["xml": [xml]]
    /// The prefixes that each open element has declared.
    private var open: [[ExactText]] = []

    /// Takes the declarations of an element; returns why they are refused.
    mutating func begin(_ attributes: [(name: String, value: String)]) -> String? {
        var prefixes: [ExactText] = []
        defer { open.append(prefixes) }
        for (name, value) in attributes {
            guard let prefix = Self.declaredPrefix(name) else { continue }
            guard value.utf8.count <= Self.longest else {
                return "a namespace is longer than \(Self.longest) bytes"
            }
            let isReserved = prefix == "xmlns" || (prefix == "xml") != value.isExactly(Self.xml)
            // Only the default can be removed (Namespaces in XML 1.0 §5).
            guard !isReserved, prefix == "" || !value.isEmpty else {
                return "a prefix has a namespace that it may not have"
            }
            declared[prefix, default: []].append(value)
            prefixes.append(prefix)
        }
        return nil
    }

    /// Forgets the declarations of the innermost element.
    mutating func end() {
        for prefix in open.popLast() ?? [] { _ = declared[prefix]?.popLast() }
    }

    /// Returns the name of an element; `nil` if its prefix is not declared.
    func name(_ text: String) -> XMLName? {
        guard let (prefix, local) = Self.parts(text) else { return nil }
        if prefix == "" { return XMLName(local, namespace: declared[""]?.last ?? "") }
        return declared[prefix]?.last.map { XMLName(local, namespace: $0) }
    }

    /// Whether an attribute has no prefix, or one that is declared.
    func knows(_ attribute: String) -> Bool {
        guard let (prefix, _) = Self.parts(attribute) else { return false }
        return prefix == "" || prefix == "xmlns" || declared[prefix]?.isEmpty == false
    }

    /// Returns `nil` if the attribute declares no namespace.
    private static func declaredPrefix(_ attribute: String) -> ExactText? {
        if attribute == "xmlns" { return "" }
        return attribute.hasPrefix("xmlns:") ? ExactText(String(attribute.dropFirst(6))) : nil
    }

    private static func parts(_ text: String) -> (prefix: ExactText, local: String)? {
        let colon = UInt8(ascii: ":")
        guard let colonIndex = text.utf8.firstIndex(of: colon) else { return ("", text) }
        let local = text[text.utf8.index(after: colonIndex)...]
        guard colonIndex > text.startIndex, !local.isEmpty, !local.utf8.contains(colon) else {
            return nil
        }
        return (ExactText(String(text[..<colonIndex])), String(local))
    }
}
