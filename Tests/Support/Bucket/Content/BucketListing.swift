import PawlCore

/// The documents with lists of a bucket's objects, uploads and parts.
struct BucketListing {
    private let contents: BucketContents
    private let address: BucketAddress

    init(_ contents: BucketContents, _ address: BucketAddress) {
        (self.contents, self.address) = (contents, address)
    }

    private static let mostEntries = 1_000

    private func limit(_ name: String) throws(BucketRefusal) -> Int {
        guard let text = address[name] else { return Self.mostEntries }
        guard let limit = Int(text), limit >= 0 else {
            throw .invalidArgument("Provided \(name) not an integer or within integer range")
        }
        return min(limit, Self.mostEntries)
    }

    private var isEncoded: Bool { address["encoding-type"] == "url" }

    private func encoded(_ key: [UInt8]) -> String {
        // AWS encodes a space as in a form.
        isEncoded
            ? key.percentEncoded(except: "/").replacing("%20", with: "+")
            : String(decoding: key, as: UTF8.self)
    }

    private var encoding: [String] {
        isEncoded ? [BucketDocument.element("EncodingType", "url")] : []
    }

    /// The answer to ListObjectsV2.
    func objects() throws(BucketRefusal) -> ResponsePlan {
        let limit = try limit("max-keys")
        let prefix = Array((address["prefix"] ?? "").utf8)
        let token = address["continuation-token"].map(\.percentDecodedBytes)
        let start = token ?? address["start-after"].map { Array($0.utf8) }
        let delimiter = Array((address["delimiter"] ?? "").utf8)
        var entries: [(key: [UInt8], object: BucketObject?)] = []
        var isTruncated = false
        var last: [UInt8] = []
        for (name, object) in contents.objects.sorted(by: {
            $0.key.bytes.lexicographicallyPrecedes($1.key.bytes)
        })
        where name.bucket == address.bucket && name.bytes.starts(with: prefix) {
            let folder = Self.folder(of: name.bytes, prefix, delimiter)
            if let start {
                // A group that the last page ended with is not listed again.
                if let folder, start.starts(with: folder) { continue }
                guard start.lexicographicallyPrecedes(name.bytes) else { continue }
            }
            if let folder, entries.last?.key == folder {
                last = name.bytes
                continue
            }
            guard entries.count < limit else {
                isTruncated = limit > 0
                break
            }
            entries.append((key: folder ?? name.bytes, object: folder == nil ? object : nil))
            last = name.bytes
        }
        let element = BucketDocument.element
        var content =
            [
                element("Name", address.bucket), element("Prefix", encoded(prefix)),
                element("MaxKeys", "\(limit)"), element("KeyCount", "\(entries.count)"),
                element("IsTruncated", "\(isTruncated)"),
            ] + encoding
        if isTruncated { content.append(element("NextContinuationToken", last.percentEncoded())) }
        content += entries.map { key, object in
            guard let object else {
                return BucketDocument.group("CommonPrefixes", [element("Prefix", encoded(key))])
            }
            return BucketDocument.group(
                "Contents",
                [
                    element("Key", encoded(key)),
                    element("LastModified", BucketDocument.time(object.modified)),
                    element("ETag", object.entityTag), element("Size", "\(object.bytes.count)"),
                    element("StorageClass", "STANDARD"),
                ]
            )
        }
        return BucketDocument.plan("ListBucketResult", content.joined())
    }

    /// The part of a key up to the first delimiter after the prefix; `nil` if there is none.
    private static func folder(
        of key: [UInt8],
        _ prefix: [UInt8],
        _ delimiter: [UInt8]
    ) -> [UInt8]? {
        let rest = key[prefix.count...]
        guard !delimiter.isEmpty,
            let start = rest.indices.first(where: { rest[$0...].starts(with: delimiter) })
        else { return nil }
        return Array(key[..<(start + delimiter.count)])
    }

    /// The answer to ListParts.
    func parts(of upload: BucketUpload) throws(BucketRefusal) -> ResponsePlan {
        let limit = try limit("max-parts")
        let marker = address["part-number-marker"].flatMap { Int($0) } ?? 0
        let later = upload.parts.filter { $0.key > marker }.sorted { $0.key < $1.key }
        let shown = later.prefix(limit)
        let element = BucketDocument.element
        var content = [
            element("Bucket", upload.bucket), element("Key", encoded(upload.name.bytes)),
            element("UploadId", upload.id), element("PartNumberMarker", "\(marker)"),
            element("NextPartNumberMarker", "\(shown.last?.key ?? 0)"),
            element("MaxParts", "\(limit)"),
            element("IsTruncated", "\(shown.count < later.count)"),
        ]
        if let checksums = upload.checksums {
            content.append(element("ChecksumAlgorithm", checksums.kind.rawValue))
        }
        content += shown.map { number, part in
            var elements = [
                element("PartNumber", "\(number)"),
                element("LastModified", BucketDocument.time(part.modified)),
                element("ETag", part.entityTag), element("Size", "\(part.bytes.count)"),
            ]
            if contents.traits.listsChecksums, let checksum = part.checksum {
                elements.append(element(checksum.kind.element, checksum.text))
            }
            return BucketDocument.group("Part", elements)
        }
        return BucketDocument.plan("ListPartsResult", content.joined())
    }

    /// The answer to ListMultipartUploads.
    func uploads() throws(BucketRefusal) -> ResponsePlan {
        let limit = try limit("max-uploads")
        let prefix = Array((address["prefix"] ?? "").utf8)
        let key = Array((address["key-marker"] ?? "").utf8)
        let id = address["upload-id-marker"] ?? ""
        let later = contents.uploads.values
            .filter { upload in
                upload.bucket == address.bucket && upload.name.bytes.starts(with: prefix)
                    && (key.lexicographicallyPrecedes(upload.name.bytes)
                        || (upload.name.bytes == key && !id.isEmpty && Self.precedes(id, upload.id)))
            }
            .sorted { left, right in
                left.name == right.name
                    ? Self.precedes(left.id, right.id)
                    : left.name.bytes.lexicographicallyPrecedes(right.name.bytes)
            }
        let shown = later.prefix(limit)
        let isTruncated = shown.count < later.count
        let element = BucketDocument.element
        var content =
            [
                element("Bucket", address.bucket), element("KeyMarker", encoded(key)),
                element("UploadIdMarker", id), element("MaxUploads", "\(limit)"),
                element("IsTruncated", "\(isTruncated)"),
            ] + encoding
        if isTruncated, let last = shown.last {
            content.append(element("NextKeyMarker", encoded(last.name.bytes)))
            content.append(element("NextUploadIdMarker", last.id))
        }
        content += shown.map { upload in
            var elements = [
                element("Key", encoded(upload.name.bytes)), element("UploadId", upload.id),
                element("Initiated", BucketDocument.time(upload.initiated)),
            ]
            if let checksums = upload.checksums {
                elements.append(element("ChecksumAlgorithm", checksums.kind.rawValue))
            }
            return BucketDocument.group("Upload", elements)
        }
        return BucketDocument.plan("ListMultipartUploadsResult", content.joined())
    }

    /// Whether one upload was created before another.
    private static func precedes(_ left: String, _ right: String) -> Bool {
        (left.utf8.count, left) < (right.utf8.count, right)
    }
}
