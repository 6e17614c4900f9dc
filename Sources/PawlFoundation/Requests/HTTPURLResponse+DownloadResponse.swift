public import Pawl

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPURLResponse {
    /// Creates Foundation's form of a response.
    ///
    /// Fields of the same name are joined by commas. As with `URLSession`, `expectedContentLength`
    /// is the `Content-Length` of this response, so for a 206 it is the length of the rest;
    /// `DownloadResponse.expectedContentLength` is the length of the whole file. On Linux,
    /// Foundation's `suggestedFilename` is often "Unknown": use that of the `DownloadResponse`.
    ///
    /// It is `nil` if Foundation does not accept the status or the fields.
    public convenience init?(_ response: DownloadResponse) {
        let fields = Dictionary(
            response.fields.map { ($0.name, $0.value) },
            uniquingKeysWith: { one, other in "\(one), \(other)" }
        )
        self.init(
            url: response.url,
            statusCode: response.status,
            httpVersion: response.protocolVersion,
            headerFields: fields
        )
    }
}
