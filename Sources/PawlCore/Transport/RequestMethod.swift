/// The properties of a request that follow from its method (RFC 9110 §9).
package enum RequestMethod {
    /// Whether sending the request twice has the same effect as once (RFC 9110 §9.2.2).
    ///
    /// Only such a request may be sent again if the result of the first is not known.
    package static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }

    /// Whether a server expects a body, so that an empty one must be declared (RFC 9110 §8.6).
    package static func expectsBody(_ method: String) -> Bool {
        ["POST", "PUT", "PATCH"].contains(method)
    }

    /// Whether the method can be sent.
    ///
    /// CONNECT cannot: it would open a tunnel (RFC 9110 §9.3.6).
    package static func isUsable(_ method: String) -> Bool {
        method.isToken && method != "CONNECT"
    }
}

extension TransferRequest {
    /// Whether a body is sent, which may be empty.
    package var hasBody: Bool {
        bodySource != nil || !body.isEmpty || RequestMethod.expectsBody(method)
    }
}

extension String {
    /// Whether the text can be the name of a field or a method (RFC 9110 §5.6.2).
    package var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy {
                $0.isDigit || $0.isLetter || "!#$%&'*+-.^_`|~".utf8.contains($0)
            }
    }
}
