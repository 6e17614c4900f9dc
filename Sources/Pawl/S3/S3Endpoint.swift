internal import PawlCore
package import struct FoundationEssentials.URL

/// The server of a storage service that speaks the protocol of S3.
package struct S3Endpoint: Hashable, Sendable {
    /// The base URL of a service that the user named; `nil` for AWS.
    package var base: URL?
    package var region: String

    package init(base: URL? = nil, region: String = S3Endpoint.usualRegion) {
        (self.base, self.region) = (base, region)
    }

    package static let usualRegion = "us-east-1"

    /// A request over HTTP before it is signed.
    package struct UnsignedRequest {
        package var url: URL
        /// What of it is signed.
        package var content: RequestSignature.Content
    }

    /// Returns the request for an object; `nil` if the region is not valid.
    package func unsignedRequest(for object: S3Object, method: String) -> UnsignedRequest? {
        guard Self.isRegion(region) else { return nil }
        let key = object.key.percentEncoded(except: "/")
        let (origin, host, path): (String, String, String)
        if let base {
            let parts = AddressParts(base.absoluteString)
            guard let scheme = URLScheme(of: parts.scheme), scheme.isHTTP, let name = parts.host
            else { return nil }
            let port = parts.port.flatMap { Int($0) } ?? scheme.usualPort
            host = port == scheme.usualPort ? name : "\(name):\(port)"
            origin = "\(scheme.rawValue)://\(host)"
            path = "\(parts.path.asFolderPath)\(object.bucket)/\(key)"
        } else if object.mayBeHost {
            host = "\(object.bucket).\(service)"
            (origin, path) = ("https://\(host)", "/\(key)")
        } else {
            host = service
            (origin, path) = ("https://\(host)", "/\(object.bucket)/\(key)")
        }
        let query = object.queryItems
        let text = RequestSignature.text(of: query)
        guard let url = URL(string: origin + path + (text.isEmpty ? "" : "?\(text)")) else {
            return nil
        }
        return UnsignedRequest(
            url: url,
            content: RequestSignature.Content(method: method, host: host, path: path, query: query)
        )
    }

    /// The host of AWS's service.
    private var service: String {
        "s3.\(region).amazonaws.com" + (region.hasPrefix("cn-") ? ".cn" : "")
    }

    /// Whether a text can be the name of a region; other texts could lead to another host.
    package static func isRegion(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0.isDigit
                    || $0.isLetter
            }
    }
}
