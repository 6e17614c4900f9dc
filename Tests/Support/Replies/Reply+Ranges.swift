import PawlCore

/// Servers whose ranges are broken.
extension Reply {
    /// Answers every range with 200 and the whole, though `Accept-Ranges` says otherwise.
    package var ignoreRange: Reply { believing { $0.range = nil } }

    /// Answers any request with `If-Range` by 200 and the whole, as some CDNs do.
    package var ignoreRangeWithIfRange: Reply {
        believing { if $0.request["If-Range"] != nil { $0.range = nil } }
    }

    /// Serves another start than was asked for, and says so in `Content-Range`.
    package func shiftRange(by distance: Int64) -> Reply {
        believing { exchange in
            guard case .from(let first, let last) = exchange.range else { return }
            let start = max(0, first + distance)
            exchange.range = .from(start, last: last.map { max(start, $0 + distance) })
        }
    }

    /// Serves at most so many bytes of a range, and says so in `Content-Range`: allowed.
    package func limitRange(to count: Int64) -> Reply {
        believing { exchange in
            guard case .from(let first, let last) = exchange.range, count > 0 else { return }
            let limit = first + count - 1
            exchange.range = .from(first, last: min(last ?? limit, limit))
        }
    }

    /// Sends so many bytes too many: a 206 counts them in its `Content-Length` but not in its
    /// `Content-Range`; any other status sends them behind its `Content-Length`.
    package func surplus(_ count: Int) -> Reply {
        changed { plan, _ in
            plan.body.append(.bytes([UInt8](repeating: 0x21, count: count)))
            if plan.status == 206 { plan.declaredLength += Int64(count) }
        }
    }

    /// Closes cleanly so many bytes before the end that its head announced.
    package func short(_ count: Int64) -> Reply {
        changed { plan, _ in
            let last = max(0, plan.bodyLength - count)
            plan.marks.append(BodyMark(after: last, .end(.close)))
        }
    }

    /// Sends a 206 without `Content-Range`.
    package var noContentRange: Reply { changed { plan, _ in plan.contentRange = nil } }

    /// Writes `Content-Range` with that in place of the truth; the body stays as asked for.
    package func contentRange(_ text: String) -> Reply {
        changed { plan, _ in
            guard plan.contentRange != nil else { return }
            plan.contentRange = nil
            plan.setField("Content-Range", text)
        }
    }

    /// Names a total in `Content-Range` that is so much too large (or too small).
    package func wrongTotal(by difference: Int64) -> Reply {
        changed { plan, _ in
            guard let place = plan.contentRange else { return }
            plan.contentRange = ContentRange(
                place.range,
                total: place.total.map { $0 + difference }
            )
        }
    }

    /// Writes `*` for the total in `Content-Range`.
    package var unknownTotal: Reply { changed { plan, _ in plan.contentRange?.total = nil } }

    /// Wraps a 206 in `multipart/byteranges`, which is only right for several ranges.
    package var multipart: Reply {
        changed { plan, _ in
            guard let place = plan.contentRange else { return }
            let boundary = "pawl-boundary"
            let type = plan.field("Content-Type") ?? "application/octet-stream"
            let open =
                "--\(boundary)\r\nContent-Type: \(type)\r\nContent-Range: \(place.text)\r\n\r\n"
            plan.contentRange = nil
            plan.setField("Content-Type", "multipart/byteranges; boundary=\(boundary)")
            plan.body.insert(.bytes(Array(open.utf8)), at: 0)
            plan.body.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
            plan.declaredLength = plan.bodyLength
        }
    }
}
