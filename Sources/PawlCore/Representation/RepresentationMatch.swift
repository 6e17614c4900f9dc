/// What a representation's validators can prove after the connection has ended.
package enum ValidatorStrength: Sendable {
    /// A strong entity tag, or a modification date that is old enough.
    case strong
    /// A weak entity tag, or a date that is too recent: another version may have the same.
    case weak
    case none
}

/// The result of comparing a response's validators with the pinned ones.
package enum RepresentationMatch: Hashable, Sendable {
    /// Nothing differs, and no pinned validator is missing without other proof.
    case same
    /// A validator differs.
    ///
    /// `onlyEntityTag`: total and Last-Modified equal the pinned ones.
    case changed(onlyEntityTag: Bool)
    /// Nothing differs, but a pinned validator is missing.
    case unproven(missing: String)
}

/// The reason why a whole response is taken for an error page.
package enum WholeDoubt: Hashable, Sendable {
    /// It is a web page, although the pinned response was of another type.
    case webPage
    /// It lacks this validator, which the pinned response had, and no validator of the same kind
    /// proves another version.
    case missing(String)
    /// Its length differs from that of the pinned response, and no validator proves another
    /// version.
    case otherLength(Int64?)
}
