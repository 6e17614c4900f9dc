internal import Pawl
internal import PawlCore

/// The description of the API in OpenAPI 3.1, for `GET /openapi.json` and docs/http-api.md.
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
                            "The token that `pawl daemon token` prints. Not needed at the Unix socket.",
                    ],
                    "cookie": [
                        "type": "apiKey", "in": "cookie", "name": .text(AccessKeys.cookie),
                        "description": "The cookie that `POST /v1/login` sets.",
                    ],
                ],
                "schemas": .object(APISchemas.all.map { ($0.0, $0.1.value) }),
            ],
        ]
    }

    private static let about = """
        HTTP/1.1 with JSON, at a Unix socket and, if enabled, at a loopback address. The response \
        to HEAD is that to GET without the body. Times are in RFC 3339. Values that are not known \
        are omitted. A query is percent-encoded UTF-8, with `+` for a space. An error is a problem \
        document (RFC 9457), whose `code` is the same in the library, the command and the API.
        """

    /// The operations by path, in the order of their definition.
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

    /// Returns the methods of a requested path; empty if there is no such path.
    package static func methods(of path: String) -> [String] {
        let asked = parts(path)
        let told = operations.filter { operation in
            let own = parts(operation.path)
            return own.count == asked.count
                && zip(own, asked).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }.map { $0.method.uppercased() }
        let all = told.isEmpty && PageFile.all.contains { $0.path == path } ? ["GET"] : told
        // HEAD is answered like GET (RFC 9110 §9.3.2).
        return all.flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
    }

    private static func parts(_ path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: true)
    }
}
