import PawlCore

/// All bodies that an origin has presented as its file so far, any of which a client may deliver.
struct ServedBodies: Sendable {
    private struct Body: Sendable {
        let label: String
        let pieces: [BodyPiece]
        let length: Int64
    }

    private var bodies: [Body] = []

    /// Adds the first `length` bytes of the pieces.
    mutating func insert(_ label: String, _ pieces: [BodyPiece], length: Int64) {
        let name = "\(label), \(length) bytes"
        guard !bodies.contains(where: { $0.label == name }) else { return }
        bodies.append(Body(label: name, pieces: pieces, length: length))
    }

    mutating func insert(_ label: String, _ resource: Resource, length: Int64? = nil) {
        let length = length ?? resource.size
        insert(label, [.content(resource.content, ByteRange(0, length))], length: length)
    }

    var labels: String { bodies.map(\.label).joined(separator: "; ") }

    /// Returns the name of the served body that equals the file, or `nil` if no body does.
    func name(_ file: [UInt8]) -> String? {
        bodies.first { $0.length == file.count && Self.bytes($0) == file }?.label
    }

    /// Returns the served body that each block of a file comes from, to find the cause of a
    /// failure.
    func describe(_ file: [UInt8]) -> String {
        let blockBytes = 1024
        let candidates = bodies.map { ($0.label, Self.bytes($0)) }
        var parts: [(label: String, start: Int)] = []
        for start in stride(from: 0, to: file.count, by: blockBytes) {
            let end = min(file.count, start + blockBytes)
            let same = candidates.first {
                $0.1.count >= end && $0.1[start..<end].elementsEqual(file[start..<end])
            }
            let label = same?.0 ?? (file[start..<end].allSatisfy { $0 == 0 } ? "zeros" : "nothing")
            if parts.last?.label != label { parts.append((label, start)) }
        }
        return "\(file.count) bytes: "
            + parts.map { "from \($0.start) \($0.label)" }.joined(separator: ", ")
    }

    private static func bytes(_ body: Body) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in body.pieces where bytes.count < Int(body.length) {
            let count = min(Int(piece.count), Int(body.length) - bytes.count)
            var part = [UInt8](repeating: 0, count: count)
            part.withUnsafeMutableBytes { piece.fill($0, at: 0) }
            bytes += part
        }
        return bytes
    }
}
