internal import Pawl
internal import PawlCore

/// What the API can be asked, as OpenAPI 3.1 says it: `GET /openapi.json`, docs/http-api.md.
package enum APIDocument {
    package static let text: String = value.json + "\n"

    private static var value: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Pawl's daemon",
                "version": .text(PawlVersion.current),
                "description": .text(about),
            ],
            "servers": [["url": "http://127.0.0.1:6880"]],
            "security": [["token": []], ["cookie": []]],
            "paths": .object(paths),
            "components": [
                "securitySchemes": [
                    "token": [
                        "type": "http", "scheme": "bearer",
                        "description":
                            "What `pawl daemon token` shows. Not needed at the Unix socket.",
                    ],
                    "cookie": [
                        "type": "apiKey", "in": "cookie", "name": .text(AccessKeys.cookie),
                        "description": "What `POST /v1/login` gives.",
                    ],
                ],
                "schemas": .object(APISchemas.all.map { ($0.0, $0.1.value) }),
            ],
        ]
    }

    private static let about = """
        HTTP/1.1 with JSON, at a Unix socket and, where that was asked for, at an address of this \
        machine alone. HEAD is answered as GET is, without the body. Times are RFC 3339; what is not \
        known is left out. A query is percent-encoded UTF-8, with `+` for a space. An error is a \
        problem document with a code that is the same everywhere.
        """

    /// By path, in the order in which they stand.
    private static var paths: [(String, JSONValue)] {
        var names: [String] = []
        for operation in operations where !names.contains(operation.path) {
            names.append(operation.path)
        }
        return names.map { name in
            let own = operations.filter { $0.path == name }
            return (name, .object(own.map { ($0.method, $0.value) }))
        }
    }

    /// The methods of a path that somebody has asked for; none where there is no such path.
    package static func methods(of path: String) -> [String] {
        let asked = parts(path)
        let told = operations.filter { operation in
            let own = parts(operation.path)
            return own.count == asked.count
                && zip(own, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.map { $0.method.uppercased() }
        let all = told.isEmpty && PageFile.all.contains { $0.path == path } ? ["GET"] : told
        // One is answered as the other (RFC 9110 §9.3.2).
        return all.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
    }

    private static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }
}
