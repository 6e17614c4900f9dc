/// The bytes of resume data: magic, version, length, payload, checksum over all of it.
///
/// These five keep their places in all versions (`docs/resume-data.md`).
package enum ResumeFormat {
    package static let magic = Array("PAWLRSME".utf8)
    package static let currentVersion: UInt32 = 1
    /// Magic, version and length.
    private static let headLength = 16
    private static let checksumLength = 8
    /// More is not read: the largest checkpoint's claims and texts fit in many times.
    package static let longest = 16 << 20

    /// Reads the payload of each version there has been into what is kept now.
    ///
    /// A new version gets a row here, and a sample of its own in the tests; the old rows stay.
    package static let readers: [UInt32: @Sendable (ArraySlice<UInt8>) throws -> ResumeContent] = [
        1: { try ResumeFormatVersion1.read($0) }
    ]

    package static func encode(_ content: ResumeContent) -> [UInt8] {
        let payload = ResumeFormatVersion1.write(content)
        var writer = ByteWriter(capacity: headLength + payload.count + checksumLength)
        writer.append(magic)
        writer.put(currentVersion)
        writer.put(payload)
        writer.put(CyclicChecksum.of(writer.bytes))
        return writer.bytes
    }

    /// Throws `.invalidResumeData`.
    package static func decode(_ bytes: [UInt8]) throws(DownloadError) -> ResumeContent {
        guard bytes.starts(with: magic) else { throw unreadable(foreign(bytes)) }
        guard bytes.count <= longest else { throw damaged("they are too long") }
        do {
            return try decodeOwn(bytes)
        } catch let error as DownloadError {
            throw error
        } catch let error as MalformedBytes {
            throw damaged(error.what)
        } catch {
            throw damaged("\(error)")
        }
    }

    private static func decodeOwn(_ bytes: [UInt8]) throws -> ResumeContent {
        var reader = ByteReader(bytes.dropFirst(magic.count))
        let version = try reader.number(UInt32.self)
        let payload = try reader.lengthAndBytes()
        let checksum = try reader.number(UInt64.self)
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes behind the end") }
        guard checksum == CyclicChecksum.of(bytes.dropLast(checksumLength)) else {
            throw MalformedBytes(what: "the checksum is wrong")
        }
        guard let read = readers[version] else {
            guard version > currentVersion else {
                throw MalformedBytes(what: "there is no version \(version)")
            }
            throw newer(version)
        }
        return try read(payload)
    }

    private static func newer(_ version: UInt32) -> DownloadError {
        DownloadError(
            .invalidResumeData,
            "the resume data are of version \(version), which a newer Pawl wrote (this one knows "
                + "version \(currentVersion))",
            advice: "update Pawl, or start the download anew"
        )
    }

    private static func damaged(_ how: String) -> DownloadError {
        unreadable("the resume data are damaged: \(how)")
    }

    private static func foreign(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "the resume data are empty" }
        if bytes.starts(with: Array("bplist".utf8)) || bytes.starts(with: Array("<?xml".utf8)) {
            return "these are no resume data of Pawl's but a property list, as Apple's are"
        }
        return "these are no resume data of Pawl's"
    }

    static func unreadable(_ message: String) -> DownloadError {
        DownloadError(
            .invalidResumeData,
            message,
            advice: "start the download anew; Apple's resume data are imported with "
                + "ResumeData(appleResumeData:)"
        )
    }
}
