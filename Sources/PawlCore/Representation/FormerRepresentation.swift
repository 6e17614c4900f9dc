/// The representation of bytes that the next good response replaces.
package struct FormerRepresentation: Hashable, Sendable {
    private let representation: Representation
    /// Whether the request goes to the source that sent it; every other source has validators of
    /// its own.
    private let isOfSameSource: Bool

    package init(_ representation: Representation, isOfSameSource: Bool) {
        (self.representation, self.isOfSameSource) = (representation, isOfSameSource)
    }

    /// Returns why `seen`, a whole response, is an error page instead of a file; `nil` if it may be
    /// a file.
    package func doubt(about seen: Representation) -> Doubt? {
        isOfSameSource
            ? representation.doubt(about: seen, isGivenUp: true)
            : representation.errorPageDoubt(about: seen)
    }
}
