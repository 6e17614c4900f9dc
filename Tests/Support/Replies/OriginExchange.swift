package import PawlCore

/// A request as replies see it, with its position among the others.
package struct OriginExchange: Sendable {
    package var request: RecordedRequest
    /// The requested range that the reply assumes.
    package var range: RequestedRange?
    /// The number of the request on its route, from 1.
    package var ordinal: Int
    /// The number of the request for exactly this target, with its query, from 1.
    package var targetOrdinal: Int
    /// The resource with which `ScriptedOrigin.replace` replaced the route's resource.
    package var replacement: Resource?
}
