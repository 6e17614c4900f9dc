/// A part of an XML document.
package enum XMLEvent: Equatable, Sendable {
    /// The start of an element.
    case start(XMLElement)
    /// The end of an element, with all text that was in it but not in an element within.
    case end(XMLName, text: String)
}

/// The name of an element.
package struct XMLName: Hashable, Sendable {
    /// The name without its prefix.
    package var local: String
    /// The URI of the namespace that the element belongs to; empty if it belongs to none.
    package var namespace: String

    package init(_ local: String, namespace: String = "") {
        self.local = local
        self.namespace = namespace
    }
}

/// The start of an element.
package struct XMLElement: Equatable, Sendable {
    package var name: XMLName
    /// The attributes without a prefix.
    package var attributes: [String: String]
    /// The attribute `xml:base`: the URL to which relative URLs in the element refer.
    package var base: String?

    package init(_ name: XMLName, attributes: [String: String] = [:], base: String? = nil) {
        self.name = name
        self.attributes = attributes
        self.base = base
    }
}
