import PawlCore

/// Faults that change a response with the file.
extension ChaosFault {
    /// The name of the fault whose head may have too many fields or bytes for a client.
    static let largeHead = "large head"

    static let ranges = [
        ChaosFault("whole for a range") { answer, _ in
            answer.reply = answer.reply.ignoreRange
            return ""
        },
        ChaosFault("part as whole") { answer, random in
            // Only a client that asks for a part gets one, and it must not take it for the file.
            guard answer.exchange.range != nil, answer.resource.acceptsRanges else { return "" }
            let keepsContentRange = Bool.random(using: &random)
            answer.replace(with: answer.reply.partAsWhole(keepsContentRange: keepsContentRange))
            return keepsContentRange ? "with its range" : ""
        },
        ChaosFault("wrong start") { answer, random in
            let distance = Int64.random(in: -70_000...70_000, using: &random)
            answer.reply = answer.reply.shiftRange(by: distance)
            return "by \(distance)"
        },
        ChaosFault("short range", .often) { answer, random in
            let count = max(1, answer.offset(&random))
            answer.reply = answer.reply.limitRange(to: count)
            return "\(count)"
        },
        ChaosFault("wrong total") { answer, random in
            let difference = Int64.random(in: -2000...2000, using: &random)
            answer.reply = answer.reply.wrongTotal(by: difference)
            return "by \(difference)"
        },
        ChaosFault("wrong Content-Range") { answer, random in
            let texts = ["bytes 5-4/3", "bytes", "bytes 0-0/1", "bytes 0-*/*", "items 1-2/3"]
            let text = texts.randomElement(using: &random) ?? "bytes"
            answer.reply = answer.reply.contentRange(text)
            return text
        },
        ChaosFault("no Content-Range") { answer, _ in
            answer.reply = answer.reply.noContentRange
            return ""
        },
        ChaosFault("unknown total") { answer, _ in
            answer.reply = answer.reply.unknownTotal
            return ""
        },
        ChaosFault("multipart") { answer, _ in
            answer.reply = answer.reply.multipart
            return ""
        },
        ChaosFault("no validators") { answer, _ in
            answer.reply = answer.reply.omitValidators
            return ""
        },
        ChaosFault("weak tag") { answer, _ in
            answer.reply = answer.reply.weakEntityTag
            return ""
        },
    ]

    static let lengths = [
        ChaosFault("too much", .often) { answer, random in
            let count = Int.random(in: 1...5000, using: &random)
            answer.reply = answer.reply.surplus(count)
            return "\(count)"
        },
        ChaosFault("wrong length") { answer, random in
            let difference = Int64.random(in: -3000...3000, using: &random)
            answer.reply = answer.reply.changed { plan, _ in
                plan.declaredLength = max(0, plan.declaredLength + difference)
                // The connection must close because the announced bytes never arrive.
                plan.closes = true
            }
            return "by \(difference)"
        },
        ChaosFault("malformed length", .seldom) { answer, random in
            let kind = Int.random(in: 0..<4, using: &random)
            let length = answer.length
            answer.reply =
                switch kind {
                case 0:
                    answer.reply.adding("Content-Length", "\(length)")
                        .adding("Content-Length", "\(length + 1)")
                case 1: answer.reply.setting("Content-Length", "-1")
                case 2: answer.reply.setting("Content-Length", "99999999999999999999")
                default: answer.reply.chunked().adding("Content-Length", "\(length)")
                }
            return "kind \(kind)"
        },
        ChaosFault("chunked") { answer, random in
            let endsProperly = Int.random(in: 0..<3, using: &random) > 0
            answer.reply = answer.reply.chunked(endsProperly: endsProperly)
            return endsProperly ? "" : "without the last chunk"
        },
        ChaosFault("no length") { answer, _ in
            answer.reply = answer.reply.closeDelimited
            return ""
        },
    ]

    /// A body that ends too early.
    static let breakOff = ChaosFault("cut") { answer, random in
        let offset = answer.offset(&random)
        let ending: Ending = Bool.random(using: &random) ? .close : .reset
        answer.reply = answer.reply.afterBytes(offset, ending)
        return "\(ending) after \(offset)"
    }

    static let bodies = [
        ChaosFault("encoded") { answer, random in
            var coded = answer.resource
            let key = SplitMix64.mix(UInt64(truncatingIfNeeded: coded.size) &+ 77)
            coded.size = coded.size * 2 / 3
            if case .pattern(let pattern) = coded.content {
                coded.content = .pattern(ContentPattern(seed: pattern.seed ^ key))
            }
            coded.fields.removeAll { $0.name == "Repr-Digest" }
            if Bool.random(using: &random), let tag = coded.entityTag {
                coded.entityTag = tag.dropLast() + "-gzip\""
            }
            answer.reply = .resource(coded).contentEncoding("gzip")
            answer.body = .file(label: "version \(answer.version), encoded", coded)
            return ""
        },
        ChaosFault("early cut", .often) { answer, random in
            let offset = Int64.random(in: 0...min(3000, answer.length), using: &random)
            let ending: Ending = Bool.random(using: &random) ? .close : .reset
            answer.reply = answer.reply.afterBytes(offset, ending)
            return "\(ending) after \(offset)"
        },
        ChaosFault("closes") { answer, _ in
            answer.reply = answer.reply.withoutKeepAlive
            return ""
        },
    ]

    static let timing = [
        ChaosFault("slow head") { answer, random in
            let time = answer.time(50...1200, &random)
            answer.reply = answer.reply.delayHead(time)
            return "\(time)"
        },
        ChaosFault("pause") { answer, random in
            let (offset, time) = (answer.offset(&random), answer.time(50...1000, &random))
            answer.reply = answer.reply.pauseAfterBytes(offset, for: time)
            return "\(time) after \(offset)"
        },
        ChaosFault("stall") { answer, random in
            let offset = answer.offset(&random)
            answer.reply = answer.reply.stallAfterBytes(offset)
            return "after \(offset)"
        },
        ChaosFault("1xx") { answer, random in
            let status = ["100 Continue", "102 Processing", "103 Early Hints"]
            let text = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                "HTTP/1.1 \(status.randomElement(using: &random) ?? status[0])\r\n\r\n"
            }
            answer.reply = answer.reply.preceded(by: text.joined())
            return "\(text.count)"
        },
        ChaosFault(largeHead) { answer, random in
            let count = Int.random(in: 1...1200, using: &random)
            answer.reply = answer.reply.padded(fields: count, bytes: 300)
            return "\(count) fields"
        },
    ]
}
