extension RedirectPolicy {
    /// Returns the method after a redirect, and whether the body is sent again (RFC 9110 §15.4).
    ///
    /// 303 names the place of the result, which is read with GET. 301 and 302 turn a POST into a
    /// GET, as browsers have always done. 307 and 308 repeat the request unchanged.
    package static func method(
        after status: Int,
        of method: String
    ) -> (method: String, keepsBody: Bool) {
        switch status {
        case 303: (method == "HEAD" ? "HEAD" : "GET", false)
        case 301, 302: method == "POST" ? ("GET", false) : (method, true)
        default: (method, true)
        }
    }

    /// Returns the fields for a request without its body, leaving out those that describe the body.
    package static func fieldsWithoutBody(_ fields: [HTTPField]) -> [HTTPField] {
        let names = [
            "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
            "Content-Location", "Content-MD5", "Content-Digest", "Digest", "Repr-Digest", "Expect",
        ]
        return fields.filter { field in !names.contains { field.hasName($0) } }
    }
}
