import PawlCore

/// One request to a bucket after its checks, and how it is carried out.
struct BucketExchange {
    let exchange: OriginExchange
    let address: BucketAddress
    let operation: BucketOperation
    let payload: BucketPayload
    /// The bucket's time in seconds since 1970.
    let now: Int64

    private var request: RecordedRequest { exchange.request }
    private var name: BucketKey { BucketKey(address.bucket, address.key) }
    private var uploadID: String { address["uploadId"] ?? "" }
    private var partNumber: Int { address["partNumber"].flatMap { Int($0) } ?? 0 }

    /// Whether the operation changes a bucket.
    var changes: Bool {
        switch operation {
        case .createBucket, .putObject, .deleteObject, .createMultipartUpload, .uploadPart,
            .uploadPartCopy, .completeMultipartUpload, .abortMultipartUpload:
            true
        case .getObject, .headObject, .listParts, .listMultipartUploads, .listObjects, .other:
            false
        }
    }

    /// Answers a request that changes nothing.
    func read(_ contents: BucketContents) throws(BucketRefusal) -> ResponsePlan {
        try contents.check(address.bucket)
        switch operation {
        case .getObject, .headObject: return try objectPlan(contents.object(name))
        case .listParts:
            return try BucketListing(contents, address)
                .parts(of: contents.upload(uploadID, of: name))
        case .listMultipartUploads: return try BucketListing(contents, address).uploads()
        case .listObjects: return try BucketListing(contents, address).objects()
        default: throw .notImplemented("\(request.method) \(request.target)")
        }
    }

    /// The part that the request uploads, whose digest takes time.
    func uploadedPart() throws(BucketRefusal) -> BucketPart? {
        guard operation == .uploadPart else { return nil }
        try checkLength()
        return BucketPart(payload.bytes, checksum: payload.checksum, modified: now)
    }

    /// Changes the bucket.
    ///
    /// - Parameters:
    ///   - part: The result of `uploadedPart()`.
    func write(
        _ contents: inout BucketContents,
        _ part: BucketPart?
    ) throws(BucketRefusal) -> ResponsePlan {
        if operation == .createBucket {
            contents.create(address.bucket)
            return ResponsePlan(status: 200)
        }
        try contents.check(address.bucket)
        switch operation {
        case .putObject: return try put(&contents)
        case .deleteObject:
            try BucketCondition(request, contents.traits.conditions)
                .check(contents.objects[name])
            contents.remove(name)
            return ResponsePlan(status: 204)
        case .createMultipartUpload: return try create(&contents)
        case .uploadPart:
            guard let part else { throw .notImplemented("a part without a body") }
            try contents.store(part, number: partNumber, in: uploadID, of: name)
            return ResponsePlan(
                status: 200,
                fields: [HTTPField(name: "ETag", value: part.entityTag)] + fields(part.checksum)
            )
        case .uploadPartCopy: return try copy(&contents)
        case .completeMultipartUpload: return try complete(&contents)
        case .abortMultipartUpload:
            try contents.abort(uploadID, of: name)
            return ResponsePlan(status: 204)
        default: throw .notImplemented("\(request.method) \(request.target)")
        }
    }

    // MARK: - Objects

    private func put(_ contents: inout BucketContents) throws(BucketRefusal) -> ResponsePlan {
        try checkLength()
        let object = try contents.put(
            payload,
            as: name,
            BucketNotes(request),
            if: BucketCondition(request, contents.traits.conditions),
            now: now
        )
        return ResponsePlan(
            status: 200,
            fields: [HTTPField(name: "ETag", value: object.entityTag)] + fields(object.checksum)
        )
    }

    private func objectPlan(_ object: BucketObject) throws(BucketRefusal) -> ResponsePlan {
        guard address.query.isEmpty else { throw .notImplemented("a part or a version") }
        if let tag = request["If-Match"], tag != object.entityTag {
            throw .preconditionFailed("If-Match")
        }
        if let tag = request["If-None-Match"], tag == "*" || tag == object.entityTag {
            return ResponsePlan(
                status: 304,
                fields: [HTTPField(name: "ETag", value: object.entityTag)]
            )
        }
        var resource = Resource(size: Int64(object.bytes.count))
        resource.content = .bytes(object.bytes)
        resource.entityTag = object.entityTag
        resource.lastModified = HTTPDate(secondsSince1970: object.modified).text
        resource.date = HTTPDate(secondsSince1970: now).text
        resource.mediaType = object.notes.mediaType
        resource.fields = object.notes.metadata.sorted { $0.key < $1.key }.map {
            HTTPField(name: "x-amz-meta-\($0.key)", value: $0.value)
        }
        if request["x-amz-checksum-mode"] == "ENABLED" {
            resource.fields += fields(object.checksum)
        }
        let plan = ResourcePlanner(resource: resource, exchange: exchange).plan()
        guard plan.status == 416 else { return plan }
        throw BucketRefusal(
            416,
            "InvalidRange",
            "The requested range is not satisfiable",
            [("ActualObjectSize", "\(object.bytes.count)")]
        )
    }

    private func checkLength() throws(BucketRefusal) {
        guard request["Content-Length"] == nil, request["x-amz-decoded-content-length"] == nil
        else { return }
        throw BucketRefusal(
            411,
            "MissingContentLength",
            "You must provide the Content-Length HTTP header."
        )
    }

    private func fields(_ checksum: BucketChecksum?) -> [HTTPField] {
        guard let checksum else { return [] }
        return [
            HTTPField(name: checksum.kind.field, value: checksum.text),
            HTTPField(name: "x-amz-checksum-type", value: checksum.type),
        ]
    }

    // MARK: - Uploads

    private func create(_ contents: inout BucketContents) throws(BucketRefusal) -> ResponsePlan {
        var checksums: (kind: BucketChecksum.Kind, isWhole: Bool)?
        let wanted = request["x-amz-checksum-algorithm"]
        if let wanted, contents.traits.checksums != .ignored {
            guard contents.traits.checksums == .supported,
                let kind = BucketChecksum.Kind(rawValue: wanted.uppercased())
            else { throw .notImplemented("the checksum \(wanted)") }
            let type = request["x-amz-checksum-type"] ?? "COMPOSITE"
            let isCyclic = kind == .crc32 || kind == .crc32c
            guard type == "COMPOSITE" || (type == "FULL_OBJECT" && isCyclic) else {
                throw .invalid("The \(type) checksum type cannot be used with \(wanted).")
            }
            checksums = (kind, type == "FULL_OBJECT")
        }
        let upload = contents.createUpload(
            of: name,
            BucketNotes(request),
            checksums: checksums,
            now: now
        )
        let element = BucketDocument.element
        var plan = BucketDocument.plan(
            "InitiateMultipartUploadResult",
            element("Bucket", upload.bucket) + element("Key", upload.key)
                + element("UploadId", upload.id)
        )
        if let checksums {
            plan.setField("x-amz-checksum-algorithm", checksums.kind.rawValue)
            plan.setField("x-amz-checksum-type", checksums.isWhole ? "FULL_OBJECT" : "COMPOSITE")
        }
        return plan
    }

    private func copy(_ contents: inout BucketContents) throws(BucketRefusal) -> ResponsePlan {
        let upload = try contents.upload(uploadID, of: name)
        let text = request["x-amz-copy-source"] ?? ""
        let source = (text.hasPrefix("/") ? text.dropFirst() : text[...])
            .split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard source.count == 2, !source[1].contains("?") else {
            throw .invalidArgument("Invalid copy source object key")
        }
        try contents.check(source[0].percentDecoded)
        let object = try contents.object(
            BucketKey(source[0].percentDecoded, source[1].percentDecodedBytes)
        )
        if let tag = request["x-amz-copy-source-if-match"], tag != object.entityTag {
            throw .preconditionFailed("x-amz-copy-source-If-Match")
        }
        var bytes = object.bytes
        if let field = request["x-amz-copy-source-range"] {
            guard case .from(let first, let last?)? = RequestedRange(field: field),
                last < object.bytes.count
            else {
                throw .invalidArgument(
                    "Range specified is not valid for source object of size: \(bytes.count)"
                )
            }
            bytes = Array(bytes[Int(first)...Int(last)])
        }
        let checksum = upload.checksums.map { BucketChecksum($0.kind, of: bytes) }
        let part = BucketPart(bytes, checksum: checksum, modified: now)
        try contents.store(part, number: partNumber, in: uploadID, of: name)
        let element = BucketDocument.element
        return BucketDocument.plan(
            "CopyPartResult",
            element("LastModified", BucketDocument.time(now)) + element("ETag", part.entityTag)
                + (checksum.map { element($0.kind.element, $0.text) } ?? "")
        )
    }

    private func complete(_ contents: inout BucketContents) throws(BucketRefusal) -> ResponsePlan {
        guard let list = CompletionList(payload.bytes) else {
            throw BucketRefusal(
                400,
                "MalformedXML",
                "The XML you provided was not well-formed or did not validate against our "
                    + "published schema"
            )
        }
        let object = try contents.complete(
            uploadID,
            of: name,
            list,
            if: BucketCondition(request, contents.traits.conditions),
            size: request["x-amz-mp-object-size"].flatMap { Int($0) },
            now: now
        )
        let element = BucketDocument.element
        let path = address.key.percentEncoded(except: "/")
        var content =
            element("Location", "http://\(address.bucket)/\(path)")
            + element("Bucket", address.bucket) + element("Key", name.text)
            + element("ETag", object.entityTag)
        if let checksum = object.checksum {
            content += element(checksum.kind.element, checksum.text)
            content += element("ChecksumType", checksum.type)
        }
        return BucketDocument.plan("CompleteMultipartUploadResult", content)
    }
}
