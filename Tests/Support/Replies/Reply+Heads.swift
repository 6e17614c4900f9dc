import PawlCore

/// Replies with unusual heads: validators, encodings, framing.
extension Reply {
    /// This reply with a new entity tag for each response, for the same bytes.
    package var entityTagPerRequest: Reply {
        changed { plan, exchange in
            plan.setField("ETag", "\"request-\(exchange.request.number)\"")
        }
    }

    /// This reply without `ETag` and `Last-Modified`.
    package var omitValidators: Reply { removing("ETag").removing("Last-Modified") }

    /// This reply with its entity tag marked as weak.
    package var weakEntityTag: Reply {
        changed { plan, _ in
            guard let tag = plan.field("ETag"), !tag.hasPrefix("W/") else { return }
            plan.setField("ETag", "W/" + tag)
        }
    }

    /// Sets a content coding without encoding the body.
    package func contentEncoding(_ coding: String) -> Reply { setting("Content-Encoding", coding) }

    /// Replaces all fields of the given name with one, including those of the framing.
    package func setting(_ name: String, _ value: String) -> Reply {
        changed { plan, _ in plan.setField(name, value) }
    }

    /// Adds a field after the others, even if one of that name exists.
    package func adding(_ name: String, _ value: String) -> Reply {
        changed { plan, _ in plan.fields.append(HTTPField(name: name, value: value)) }
    }

    /// Adds `count` fields with values of `bytes` bytes each, for a head that is too large.
    package func padded(fields count: Int, bytes: Int) -> Reply {
        changed { plan, _ in
            let value = String(repeating: "x", count: bytes)
            plan.fields += (0..<count).map { HTTPField(name: "X-Padding-\($0)", value: value) }
        }
    }

    /// Removes all fields of the given name, except those of the framing.
    package func removing(_ name: String) -> Reply {
        changed { plan, _ in plan.removeFields(name) }
    }

    /// Replaces the reason phrase of the status.
    package func reason(_ text: String) -> Reply { changed { plan, _ in plan.reason = text } }

    /// Sends these bytes verbatim before the head, such as interim responses (1xx).
    package func preceded(by text: String) -> Reply {
        changed { plan, _ in plan.preamble += Array(text.utf8) }
    }

    /// Sends the body in chunks without a length.
    ///
    /// If it does not end properly, the last chunk is missing, and a clean close follows.
    package func chunked(endsProperly: Bool = true) -> Reply {
        changed { plan, _ in plan.framing = .chunked(endsProperly: endsProperly) }
    }

    /// This reply without a length: a clean close of the connection ends the body.
    package var closeDelimited: Reply { changed { plan, _ in plan.framing = .untilClose } }

    /// This reply with `Connection: close` in its head and a clean close after the response.
    package var withoutKeepAlive: Reply {
        changed { plan, _ in
            plan.setField("Connection", "close")
            plan.closes = true
        }
    }
}
