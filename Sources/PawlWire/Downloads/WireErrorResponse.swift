package import struct FoundationEssentials.Data
package import PawlCore

/// The answer to the question for the response with which a server refused a download.
package struct WireRefusal: Codable, Sendable, Hashable {
    /// The response; `nil` if none is kept.
    package var errorResponse: WireErrorResponse?

    package init(_ errorResponse: WireErrorResponse?) { self.errorResponse = errorResponse }
}

/// The response with which a server refused a download, and the beginning of its body.
package struct WireErrorResponse: Codable, Sendable, Hashable {
    package var response: WireResponse
    /// The first bytes of the body, at most 64 KiB.
    package var body: Data
    /// Whether `body` is the whole body.
    package var isWhole: Bool

    package init(_ response: WireResponse, body: Data, isWhole: Bool) {
        (self.response, self.body, self.isWhole) = (response, body, isWhole)
    }

    package init(_ refusal: ErrorResponse) {
        self.init(
            WireResponse(refusal.response),
            body: Data(refusal.body),
            isWhole: refusal.isWhole
        )
    }

    /// The response for the library; `nil` if its URL is not valid.
    package var errorResponse: ErrorResponse? {
        response.response.map { ErrorResponse($0, body: Array(body), isWhole: isWhole) }
    }
}
