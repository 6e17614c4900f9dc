internal import PawlCore
internal import PawlStorage

/// The coding of an upload and its parts in a file.
///
/// All numbers are in little-endian order, and a text is its length in four bytes and its UTF-8. The
/// file consists of a head, which names the upload and has a checksum of its own, and a body:
///
/// - magic `PAWLUPLD`, and the version in four bytes
/// - head: the identifier of the upload, the URL of the object, and SHA-256 of everything before
/// - body: the mark, the representation as in a checkpoint, the source, the size of the parts
///   (8 bytes), the number of runs (8), the state (1), the number of parts (4), the parts, and
///   SHA-256 of everything before
/// - a part: its index (4), its number (4), its size (8), its entity tag, its CRC-32C (4), and its
///   SHA-256 with its length, which is 0 if it is not known; version 1 has none
///
/// So an upload can be aborted although the list of its parts is damaged.
enum UploadRecord {
    private static let magic = Array("PAWLUPLD".utf8)
    private static let version: UInt32 = 2
    private static let digestLength = 32

    static func encode(_ upload: RecordedUpload, _ parts: [RecordedPart]) -> [UInt8] {
        var writer = ByteWriter(capacity: 1024 + 96 * parts.count)
        writer.append(magic)
        writer.put(version)
        writer.put(upload.name.id)
        writer.put(upload.name.address)
        writer.append(checksum(of: writer.bytes[...]))
        writer.put(upload.mark)
        writer.put(upload.representation)
        writer.put(upload.source)
        writer.put(upload.partBytes)
        writer.put(Int64(upload.attempt))
        writer.put(upload.state.rawValue)
        writer.put(UInt32(clamping: parts.count))
        for part in parts {
            writer.put(UInt32(clamping: part.index))
            writer.put(UInt32(clamping: part.part.number))
            writer.put(part.part.bytes)
            writer.put(part.part.tag)
            writer.append(part.part.checksum.bytes)
            writer.put(part.part.sha256 ?? [])
        }
        writer.append(checksum(of: writer.bytes[...]))
        return writer.bytes
    }

    static func read(_ bytes: [UInt8]) -> LedgerFinding {
        var reader = ByteReader(bytes[...])
        // Where a record is damaged does not matter.
        guard let (version, name) = try? readHead(&reader, bytes) else { return .damaged(nil) }
        guard let (upload, parts) = try? readBody(&reader, version, name, bytes) else {
            return .damaged(name)
        }
        return .upload(upload, parts)
    }

    private static func readHead(
        _ reader: inout ByteReader,
        _ bytes: [UInt8]
    ) throws(MalformedBytes) -> (version: UInt32, UploadName) {
        guard try reader.take(magic.count).elementsEqual(magic) else {
            throw MalformedBytes(what: "of an unknown form")
        }
        let version = try reader.number(UInt32.self)
        guard (1...Self.version).contains(version) else {
            throw MalformedBytes(what: "of an unknown form")
        }
        let name = UploadName(id: try reader.text(), address: try reader.text())
        let length = magic.count + 12 + name.id.utf8.count + name.address.utf8.count
        guard try reader.take(digestLength).elementsEqual(checksum(of: bytes.prefix(length)))
        else { throw MalformedBytes(what: "torn") }
        return (version, name)
    }

    private static func readBody(
        _ reader: inout ByteReader,
        _ version: UInt32,
        _ name: UploadName,
        _ bytes: [UInt8]
    ) throws(MalformedBytes) -> (RecordedUpload, [RecordedPart]) {
        guard
            bytes.suffix(digestLength).elementsEqual(
                checksum(of: bytes.dropLast(digestLength))
            )
        else { throw MalformedBytes(what: "torn") }
        let (mark, representation) = (try reader.text(), try reader.representation())
        let (source, partBytes) = (try reader.text(), try reader.number(Int64.self))
        let attempt = try reader.number(Int64.self)
        guard attempt >= 0, attempt < Int32.max,
            let state = RecordedUpload.State(rawValue: try reader.number(UInt8.self))
        else { throw MalformedBytes(what: "an impossible state") }
        let upload = RecordedUpload(
            name: name,
            mark: mark,
            representation: representation,
            source: source,
            partBytes: partBytes,
            attempt: Int(attempt),
            state: state
        )
        var parts: [RecordedPart] = []
        let count = try reader.number(UInt32.self)
        for _ in 0..<count { parts.append(try readPart(&reader, version)) }
        _ = try reader.take(digestLength)
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes after the end") }
        return (upload, parts)
    }

    private static func readPart(
        _ reader: inout ByteReader,
        _ version: UInt32
    ) throws(MalformedBytes) -> RecordedPart {
        let index = Int(clamping: try reader.number(UInt32.self))
        let number = Int(clamping: try reader.number(UInt32.self))
        let (bytes, tag) = (try reader.number(Int64.self), try reader.text())
        let checksum = ObjectChecksum(Array(try reader.take(4)))
        guard bytes >= 0 else { throw MalformedBytes(what: "an impossible size") }
        let sha256 = version > 1 ? Array(try reader.lengthAndBytes()) : []
        let part = UploadedPart(
            number: number,
            bytes: bytes,
            tag: tag,
            checksum: checksum,
            sha256: sha256.isEmpty ? nil : sha256
        )
        return RecordedPart(index: index, part: part)
    }

    private static func checksum(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        SHA256.digest(of: Array(bytes)) ?? []
    }
}
