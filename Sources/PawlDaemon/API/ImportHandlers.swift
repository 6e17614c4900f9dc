internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import PawlCore
internal import PawlWire

/// Answers requests that import lists.
struct ImportHandlers: Sendable {
    let queue: DaemonQueue

    /// Adds the downloads of a body of any length, part by part.
    ///
    /// While the queue adds a part, the next one is read and checked; no more is read meanwhile.
    func add(_ request: Request, _ context: APIContext) async throws -> Response {
        let hasBody =
            request.headers[.contentLength].map { $0 != "0" } ?? false
            || request.headers[.transferEncoding] != nil
        if hasBody { try RequestBody.check(request, is: .lines) }
        let first = try firstLine(request)
        let key = try request.idempotencyKey ?? UUID().uuidString
        let list = ImportedList(key, of: context.authority)
        var answer = try await queue.store.read { try list.progress($0) }
        guard hasBody else { return try Response.json(answer) }
        let rules = await queue.additionRules
        try await withThrowingTaskGroup(of: WireImport.self) { group in
            var reader = ImportReader(rules, by: context.authority, from: first)
            for try await buffer in request.body {
                reader.append(Array(buffer.readableBytesView))
                while let part = try reader.nextPart() {
                    if let added = try await group.next() { answer.adopt(added) }
                    try begin(part, of: list, context, &group)
                    answer.add(part.refusals)
                }
            }
            if let part = try reader.lastPart() {
                if let added = try await group.next() { answer.adopt(added) }
                try begin(part, of: list, context, &group)
                answer.add(part.refusals)
            }
            if let added = try await group.next() { answer.adopt(added) }
        }
        return try Response.json(answer)
    }

    private func begin(
        _ part: ImportPart,
        of list: ImportedList,
        _ context: APIContext,
        _ group: inout ThrowingTaskGroup<WireImport, any Error>
    ) throws(DownloadError) {
        // The credentials may have been revoked since the request began.
        guard context.mayContinue() else {
            throw AccessRules.refusal(of: .add, to: context.authority)
        }
        group.addTask { [queue] in try await queue.add(part, to: list) }
    }

    private func firstLine(_ request: Request) throws(DownloadError) -> Int64 {
        let parameters = try request.parameters
        guard let text = parameters.last(where: { $0.name == "line" })?.value else { return 1 }
        return try QueryText.number("line", text, in: 1...(1 << 53))
    }
}

extension WireImport {
    /// Takes over how far the import is.
    fileprivate mutating func adopt(_ newer: WireImport) {
        let lines = refusedLines
        self = newer
        refusedLines = lines
    }

    /// Adds lines that were refused, up to the maximum.
    fileprivate mutating func add(_ refusals: [(line: Int64, error: DownloadError)]) {
        let room = Self.mostRefusedLines - refusedLines.count
        refusedLines += refusals.prefix(room).map { line, error in
            WireRefusedLine(line: line, problem: Problem(error))
        }
    }
}
