import PawlCore

/// Replies with broken ranges.
extension Reply {
    /// This reply with 200 and the whole file for every range, contrary to `Accept-Ranges`.
    package var ignoreRange: Reply { believing { $0.range = nil } }

    /// This reply with 200 and the whole file for a request that has `If-Range`, as from some CDNs.
    package var ignoreRangeWithIfRange: Reply {
        believing { if $0.request["If-Range"] != nil { $0.range = nil } }
    }

    /// Serves a range that starts at another offset, with a matching `Content-Range`.
    package func shiftRange(by distance: Int64) -> Reply {
        believing { exchange in
            guard case .from(let first, let last) = exchange.range else { return }
            let start = max(0, first + distance)
            exchange.range = .from(start, last: last.map { max(start, $0 + distance) })
        }
    }

    /// Serves at most `count` bytes of a range, with a matching `Content-Range`, as the standard
    /// allows.
    package func limitRange(to count: Int64) -> Reply {
        believing { exchange in
            guard case .from(let first, let last) = exchange.range, count > 0 else { return }
            let limit = first + count - 1
            exchange.range = .from(first, last: min(last ?? limit, limit))
        }
    }

    /// Sends `count` surplus bytes.
    ///
    /// A 206 includes them in its `Content-Length` but not in its `Content-Range`; other responses
    /// send them after the announced length.
    package func surplus(_ count: Int) -> Reply {
        changed { plan, _ in
            plan.body.append(.bytes([UInt8](repeating: 0x21, count: count)))
            if plan.status == 206 { plan.declaredLength += Int64(count) }
        }
    }

    /// Closes cleanly `count` bytes before the announced end.
    package func short(_ count: Int64) -> Reply {
        changed { plan, _ in
            let last = max(0, plan.bodyLength - count)
            plan.marks.append(BodyMark(after: last, .end(.close)))
        }
    }

    /// This reply without `Content-Range`.
    package var noContentRange: Reply { changed { plan, _ in plan.contentRange = nil } }

    /// This reply with status 200 for a part, as from a script that forgets the status 206.
    package func partAsWhole(keepsContentRange: Bool) -> Reply {
        changed { plan, _ in
            guard plan.status == 206, let contentRange = plan.contentRange else { return }
            plan.status = 200
            plan.contentRange = nil
            if keepsContentRange { plan.setField("Content-Range", contentRange.text) }
        }
    }

    /// Replaces `Content-Range` with the given text; the body stays as requested.
    package func contentRange(_ text: String) -> Reply {
        changed { plan, _ in
            guard plan.contentRange != nil else { return }
            plan.contentRange = nil
            plan.setField("Content-Range", text)
        }
    }

    /// Adds `difference` to the total in `Content-Range`.
    package func wrongTotal(by difference: Int64) -> Reply {
        changed { plan, _ in
            guard let contentRange = plan.contentRange else { return }
            plan.contentRange = SentRange(
                contentRange.range,
                total: contentRange.total.map { $0 + difference }
            )
        }
    }

    /// This reply with `*` for the total in `Content-Range`.
    package var unknownTotal: Reply { changed { plan, _ in plan.contentRange?.total = nil } }

    /// This reply with a 206 wrapped in `multipart/byteranges`, which is correct only for several
    /// ranges.
    package var multipart: Reply {
        changed { plan, _ in
            guard let sent = plan.contentRange else { return }
            let boundary = "pawl-boundary"
            let type = plan.field("Content-Type") ?? "application/octet-stream"
            let open =
                "--\(boundary)\r\nContent-Type: \(type)\r\nContent-Range: \(sent.text)\r\n\r\n"
            plan.contentRange = nil
            plan.setField("Content-Type", "multipart/byteranges; boundary=\(boundary)")
            plan.body.insert(.bytes(Array(open.utf8)), at: 0)
            plan.body.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
            plan.declaredLength = plan.bodyLength
        }
    }
}
