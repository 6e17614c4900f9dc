/// A request, as replies see it, and where it stands among the others.
package struct OriginExchange: Sendable {
    package var request: RecordedRequest
    /// The range that the reply is to believe was asked for.
    package var range: RequestedRange?
    /// Counts the requests of the route, from 1.
    package var ordinal: Int
    /// Counts the requests of exactly this target, query included, from 1.
    package var targetOrdinal: Int
    /// What `ScriptedOrigin.replace` put in place of the route's resource.
    package var replacement: Resource?
}
