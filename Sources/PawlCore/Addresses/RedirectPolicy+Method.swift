extension RedirectPolicy {
    /// The method after a redirect, and whether the body goes with it (RFC 9110 §15.4).
    ///
    /// 303 says where to look for the outcome, so it is looked at; 301 and 302 turn a POST into a
    /// GET, as browsers have always done; 307 and 308 repeat the request as it was.
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

    /// The fields for a request whose body was left behind: none that speak of it.
    package static func fieldsWithoutBody(_ fields: [HTTPField]) -> [HTTPField] {
        let names = [
            "Content-Type", "Content-Length", "Content-Encoding", "Content-Language",
            "Content-Location", "Content-MD5", "Content-Digest", "Digest", "Repr-Digest", "Expect",
        ]
        return fields.filter { field in !names.contains { field.hasName($0) } }
    }
}
