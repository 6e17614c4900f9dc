import PawlCore

/// Faults that replace the response with something other than the file.
extension ChaosFault {
    static let replacements = [
        ChaosFault("busy", .often) { answer, random in
            let status = [503, 429, 500, 502, 504, 408, 425].randomElement(using: &random) ?? 503
            let wait =
                [nil, nil, "0", "1", HTTPDate.text(secondsFromNow: 1), "soon"]
                .randomElement(using: &random) ?? nil
            let fields = wait.map { [("Retry-After", $0)] } ?? []
            answer.replace(with: .status(status, fields: fields, body: "not now\n"))
            return "\(status), Retry-After \(wait ?? "none")"
        },
        ChaosFault("refused", .seldom) { answer, random in
            let status = [400, 401, 403, 404, 410, 501].randomElement(using: &random) ?? 404
            answer.replace(with: .status(status, body: "no\n"))
            return "\(status)"
        },
        ChaosFault("odd status") { answer, random in
            let status = [204, 205, 304, 226, 599].randomElement(using: &random) ?? 204
            answer.replace(with: .status(status))
            return "\(status)"
        },
        ChaosFault("hang up", .often) { answer, random in
            let ending: Ending = Bool.random(using: &random) ? .close : .reset
            answer.replace(with: .hangUp(ending))
            return "\(ending)"
        },
        ChaosFault("garbage") { answer, random in
            let count = Int.random(in: 1...2000, using: &random)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let texts: [[UInt8]] = [
                noise, Array("HTTP/1.1 200".utf8), Array("HTTP/1.1 2x0 OK\r\n\r\n".utf8),
                Array("SSH-2.0-OpenSSH_9.2\r\n".utf8),
                Array("HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag".utf8),
            ]
            let kind = Int.random(in: 0..<texts.count, using: &random)
            answer.replace(with: .raw(texts[kind]))
            return "kind \(kind)"
        },
        ChaosFault("error page") { answer, _ in
            answer.replace(with: .htmlPortal)
            answer.body = .impostor(label: "a page")
            return ""
        },
        ChaosFault("error text") { answer, random in
            let type = Bool.random(using: &random) ? "application/json" : "text/plain"
            let text = "{\"error\": \"backend timed out\"}\n"
            answer.replace(with: .status(200, fields: [("Content-Type", type)], body: text))
            answer.body = .impostor(label: "a text")
            return type
        },
        ChaosFault("not satisfiable") { answer, random in
            let size = answer.resource.size
            let range =
                ["bytes */\(size)", "bytes */\(size / 2)", "bytes */0", nil]
                .randomElement(using: &random) ?? nil
            let fields = range.map { [("Content-Range", $0)] } ?? []
            answer.replace(with: .status(416, fields: fields, body: "no such range\n"))
            return range ?? "without a length"
        },
        ChaosFault("endless 1xx", .seldom) { answer, _ in
            answer.replace(with: .endless("", repeating: "HTTP/1.1 102 Processing\r\n\r\n"))
            return ""
        },
    ]

    static let redirects = [
        ChaosFault("redirect") { answer, random in
            let away = "/other/file.bin?n=\(answer.exchange.request.number)"
            let isAbsolute = Bool.random(using: &random)
            let port = answer.exchange.request["Host"]?.split(separator: ":").last ?? "80"
            let status = [301, 302, 303, 307, 308].randomElement(using: &random) ?? 302
            let location = isAbsolute ? "http://localhost:\(port)\(away)" : away
            answer.replace(with: .redirect(to: location, status: status))
            return "\(status), \(location)"
        },
        ChaosFault("redirect nowhere", .seldom) { answer, random in
            let location =
                ["/loop/file.bin", "file:///etc/passwd", "", "ftp://127.0.0.1/file.bin"]
                .randomElement(using: &random) ?? ""
            answer.replace(with: .redirect(to: location))
            return location
        },
    ]
}
