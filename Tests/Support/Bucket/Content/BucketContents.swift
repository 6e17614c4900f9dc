import PawlCore

/// The objects and uploads of a scripted bucket, and the rules by which requests change them.
struct BucketContents: Sendable {
    /// An upload that was completed.
    private struct Completion: Sendable {
        var list: CompletionList
        var name: BucketKey
        var object: BucketObject
    }

    private(set) var buckets: Set<String>
    private(set) var objects: [BucketKey: BucketObject] = [:]
    private(set) var uploads: [String: BucketUpload] = [:]
    private var completions: [String: Completion] = [:]
    private var lastUpload = 0
    var traits = BucketTraits()

    private static let partNumbers = 1...10_000

    init(buckets: Set<String>) { self.buckets = buckets }

    mutating func create(_ bucket: String) { buckets.insert(bucket) }

    mutating func store(_ object: BucketObject, as name: BucketKey) { objects[name] = object }

    mutating func remove(_ name: BucketKey) { objects[name] = nil }

    func check(_ bucket: String) throws(BucketRefusal) {
        guard buckets.contains(bucket) else {
            throw BucketRefusal(
                404,
                "NoSuchBucket",
                "The specified bucket does not exist",
                [("BucketName", bucket)]
            )
        }
    }

    func object(_ name: BucketKey) throws(BucketRefusal) -> BucketObject {
        guard let object = objects[name] else { throw .noSuchKey }
        return object
    }

    mutating func put(
        _ payload: BucketPayload,
        as name: BucketKey,
        _ notes: BucketNotes,
        if condition: BucketCondition,
        now: Int64
    ) throws(BucketRefusal) -> BucketObject {
        try condition.check(objects[name])
        var object = BucketObject(payload.bytes, notes: notes, modified: now)
        object.checksum = payload.checksum
        objects[name] = object
        return object
    }

    // MARK: - Uploads

    mutating func createUpload(
        of name: BucketKey,
        _ notes: BucketNotes,
        checksums: (kind: BucketChecksum.Kind, isWhole: Bool)?,
        now: Int64
    ) -> BucketUpload {
        lastUpload += 1
        let upload = BucketUpload(
            "upload-\(lastUpload)",
            name,
            notes,
            checksums: checksums,
            initiated: now
        )
        uploads[upload.id] = upload
        return upload
    }

    func upload(_ id: String, of name: BucketKey) throws(BucketRefusal) -> BucketUpload {
        guard let upload = uploads[id], upload.name == name else { throw .noSuchUpload }
        return upload
    }

    mutating func store(
        _ part: BucketPart,
        number: Int,
        in id: String,
        of name: BucketKey
    ) throws(BucketRefusal) {
        guard Self.partNumbers.contains(number) else {
            throw .invalidArgument(
                "Part number must be an integer between 1 and 10000, inclusive"
            )
        }
        let upload = try upload(id, of: name)
        if let wanted = upload.checksums?.kind, part.checksum?.kind != wanted {
            throw .invalid(
                "Checksum Type mismatch occurred, expected checksum Type: "
                    + "\(wanted.rawValue.lowercased()), actual checksum Type: "
                    + "\(part.checksum?.kind.rawValue.lowercased() ?? "null")"
            )
        }
        uploads[id]?.parts[number] = part
    }

    mutating func abort(_ id: String, of name: BucketKey) throws(BucketRefusal) {
        _ = try upload(id, of: name)
        uploads[id] = nil
    }

    /// Makes an object of the listed parts.
    ///
    /// - Parameters:
    ///   - size: The size that the client expects; `nil` if it does not say.
    mutating func complete(
        _ id: String,
        of name: BucketKey,
        _ list: CompletionList,
        if condition: BucketCondition,
        size: Int?,
        now: Int64
    ) throws(BucketRefusal) -> BucketObject {
        if let completion = completions[id], completion.name == name, completion.list == list {
            switch traits.repeatedCompletion {
            case .sameAnswer: break
            case .noSuchUpload: throw .noSuchUpload
            case .checksCondition: try condition.check(objects[name])
            }
            return completion.object
        }
        let upload = try upload(id, of: name)
        let parts = try listedParts(of: upload, list)
        let bytes = parts.flatMap(\.bytes)
        if let size, size != bytes.count {
            throw .invalid("The provided 'x-amz-mp-object-size' header does not match.")
        }
        try condition.check(objects[name])
        var object = BucketObject(
            bytes,
            entityTag: Self.entityTag(of: parts),
            notes: upload.notes,
            modified: now
        )
        object.uploadID = id
        object.parts = zip(list.entries, parts).map { entry, part in
            BucketObject.PartSize(number: entry.number, bytes: part.bytes.count)
        }
        object.checksum = upload.checksums.map { kind, isWhole in
            isWhole
                ? BucketChecksum(kind, of: bytes)
                : BucketChecksum(composedOf: parts.compactMap(\.checksum), kind: kind)
        }
        objects[name] = object
        uploads[id] = nil
        completions[id] = Completion(list: list, name: name, object: object)
        return object
    }

    private func listedParts(
        of upload: BucketUpload,
        _ list: CompletionList
    ) throws(BucketRefusal) -> [BucketPart] {
        let numbers = list.entries.map(\.number)
        guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw BucketRefusal(
                400,
                "InvalidPartOrder",
                "The list of parts was not in ascending order. The parts list must be specified "
                    + "in order by part number."
            )
        }
        var parts: [BucketPart] = []
        for entry in list.entries {
            guard let part = upload.parts[entry.number], part.entityTag == entry.entityTag,
                Self.fits(entry, part)
            else {
                throw BucketRefusal(
                    400,
                    "InvalidPart",
                    "One or more of the specified parts could not be found. The part may not have "
                        + "been uploaded, or the specified entity tag or checksum may not match.",
                    [("UploadId", upload.id), ("PartNumber", "\(entry.number)")]
                )
            }
            if let checksums = upload.checksums, !checksums.isWhole,
                entry.checksums[checksums.kind.element] == nil
            {
                throw .invalid(
                    "The upload was created using a \(checksums.kind.rawValue.lowercased()) "
                        + "checksum. The complete request must include the checksum for each part. "
                        + "It was missing for part \(entry.number) in the request."
                )
            }
            parts.append(part)
        }
        try checkSizes(parts, list)
        return parts
    }

    /// Whether the checksums of a list are those of a part.
    private static func fits(_ entry: CompletionList.Entry, _ part: BucketPart) -> Bool {
        entry.checksums.allSatisfy { element, text in
            part.checksum?.kind.element == element && part.checksum?.text == text
        }
    }

    private func checkSizes(
        _ parts: [BucketPart],
        _ list: CompletionList
    ) throws(BucketRefusal) {
        for (part, entry) in zip(parts.dropLast(), list.entries)
        where part.bytes.count < traits.minimumPartBytes {
            throw BucketRefusal(
                400,
                "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size",
                [
                    ("ProposedSize", "\(part.bytes.count)"),
                    ("MinSizeAllowed", "\(traits.minimumPartBytes)"),
                    ("PartNumber", "\(entry.number)"),
                ]
            )
        }
        let sizes = Set(parts.dropLast().map(\.bytes.count))
        guard traits.demandsEqualParts, let size = sizes.first else { return }
        guard sizes.count == 1, let last = parts.last, last.bytes.count <= size else {
            throw BucketRefusal(
                400,
                "InvalidPart",
                "All non-trailing parts must have the same length."
            )
        }
    }

    /// The digest of the digests of the parts, and their number.
    private static func entityTag(of parts: [BucketPart]) -> String {
        let digests = parts.flatMap { DigestAlgorithm.md5.digest(of: $0.bytes) }
        let digest = DigestAlgorithm.md5.digest(of: digests)
        return "\"\(digest.map(\.hexadecimal).joined())-\(parts.count)\""
    }
}
