/// What is known of a request by its method alone (RFC 9110 §9).
package enum RequestMethod {
    /// Whether asking twice is as good as asking once (RFC 9110 §9.2.2): only such a request may be
    /// sent again where nobody knows what became of the first.
    package static func isIdempotent(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method)
    }

    /// Whether a server expects a body, so that an empty one is said to be empty (RFC 9110 §8.6).
    package static func expectsBody(_ method: String) -> Bool {
        ["POST", "PUT", "PATCH"].contains(method)
    }

    /// Whether it can be sent at all: CONNECT would open a tunnel (RFC 9110 §9.3.6).
    package static func isUsable(_ method: String) -> Bool {
        method.isToken && method != "CONNECT"
    }
}

extension TransferRequest {
    /// Whether a body is sent, though it may be an empty one.
    package var hasBody: Bool { !body.isEmpty || RequestMethod.expectsBody(method) }
}

extension String {
    /// The names of fields and methods (RFC 9110 §5.6.2).
    package var isToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
