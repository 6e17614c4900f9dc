import PawlCore

/// Servers whose heads are unusual: validators, encodings, framing.
extension Reply {
    /// Gives each response an entity tag of its own, for the same bytes.
    package var entityTagPerRequest: Reply {
        changed { plan, exchange in
            plan.setField("ETag", "\"request-\(exchange.request.order)\"")
        }
    }

    /// Leaves out ETag and Last-Modified.
    package var omitValidators: Reply { removing("ETag").removing("Last-Modified") }

    /// Marks the entity tag as weak.
    package var weakEntityTag: Reply {
        changed { plan, _ in
            guard let tag = plan.field("ETag"), !tag.hasPrefix("W/") else { return }
            plan.setField("ETag", "W/" + tag)
        }
    }

    /// Labels the body with a content coding, without coding it.
    package func contentEncoding(_ coding: String) -> Reply { setting("Content-Encoding", coding) }

    /// Puts one field in place of all of that name, those of the framing included.
    package func setting(_ name: String, _ value: String) -> Reply {
        changed { plan, _ in plan.setField(name, value) }
    }

    /// Adds a field behind the others, also where there is one of that name.
    package func adding(_ name: String, _ value: String) -> Reply {
        changed { plan, _ in plan.fields.append(HTTPField(name: name, value: value)) }
    }

    /// Adds so many fields, each with a value of so many bytes: a head that is too large.
    package func padded(fields count: Int, bytes: Int) -> Reply {
        changed { plan, _ in
            let value = String(repeating: "x", count: bytes)
            plan.fields += (0..<count).map { HTTPField(name: "X-Padding-\($0)", value: value) }
        }
    }

    /// Leaves out all fields of that name; those of the framing cannot be left out like that.
    package func removing(_ name: String) -> Reply {
        changed { plan, _ in plan.removeFields(name) }
    }

    /// Puts another phrase behind the status.
    package func reason(_ text: String) -> Reply { changed { plan, _ in plan.reason = text } }

    /// Sends these bytes verbatim before the head, such as interim responses (1xx).
    package func preceded(by text: String) -> Reply {
        changed { plan, _ in plan.preamble += Array(text.utf8) }
    }

    /// Sends the body in chunks, without a length; improper is without the last chunk, then a
    /// clean close.
    package func chunked(endsProperly: Bool = true) -> Reply {
        changed { plan, _ in plan.framing = .chunked(endsProperly: endsProperly) }
    }

    /// Sends the body without a length; the clean close of the connection ends it.
    package var closeDelimited: Reply { changed { plan, _ in plan.framing = .untilClose } }

    /// Closes the connection cleanly behind the response, and says so in its head.
    package var withoutKeepAlive: Reply {
        changed { plan, _ in
            plan.setField("Connection", "close")
            plan.closes = true
        }
    }
}
