/// Exactly which bytes: what the first good response said of them.
package struct Representation: Hashable, Sendable {
    /// The length of the whole, nil where the server does not say.
    package var total: Int64?
    package var entityTag: EntityTag?
    /// As received; compared as text, as the server is free in its form.
    package var lastModified: String?
    /// Whether `Last-Modified` was at least one second older than `Date` (RFC 9110 §8.8.2.2).
    package var lastModifiedIsOld = false
    package var mediaType: String?
    /// Other than identity: the bytes are an encoding that nobody asked for.
    package var contentEncoding: String?
    /// What the server said the whole file's digest is, if it did; the strongest of several.
    package var digest: ContentDigest?

    package init(total: Int64? = nil) { self.total = total }
}

/// An entity tag (RFC 9110 §8.8.3).
package struct EntityTag: Hashable, Sendable {
    package var isWeak: Bool
    /// With its quotes, without `W/`.
    package var opaque: String

    package init(isWeak: Bool, opaque: String) {
        self.isWeak = isWeak
        self.opaque = opaque
    }
}

/// What a representation's validators can prove after the connection is gone.
package enum ValidatorStrength: Sendable {
    /// A strong entity tag, or a modification date old enough.
    case strong
    /// A weak entity tag or a date too fresh: another version may look the same.
    case weak
    case none
}

extension Representation {
    package var validatorStrength: ValidatorStrength {
        // An empty one is what broken servers send for every version.
        if let entityTag, !entityTag.isWeak, entityTag.opaque != "\"\"" { return .strong }
        if lastModified != nil, lastModifiedIsOld { return .strong }
        return entityTag == nil && lastModified == nil ? .none : .weak
    }
}
