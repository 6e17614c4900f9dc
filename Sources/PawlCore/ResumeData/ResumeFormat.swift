/// The bytes of resume data: magic, version, length, payload, and a checksum of everything.
///
/// These five parts keep their positions in all versions (`docs/resume-data.md`).
package enum ResumeFormat {
    package static let magic = Array("PAWLRSME".utf8)
    package static let currentVersion: UInt32 = 1
    /// The length of magic, version and length.
    private static let headLength = 16
    private static let checksumLength = 8
    /// The maximum size that is read.
    ///
    /// It is many times the size of the largest checkpoint's claims and texts.
    package static let longest = 16 << 20

    /// The functions that read the payload of each version into the current content.
    ///
    /// A new version adds a row here and a sample in the tests; the old rows stay.
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

    /// Decodes resume data.
    ///
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
        guard reader.isAtEnd else { throw MalformedBytes(what: "bytes after the end") }
        guard checksum == CyclicChecksum.of(bytes.dropLast(checksumLength)) else {
            throw MalformedBytes(what: "the checksum is wrong")
        }
        guard let read = readers[version] else {
            guard version > currentVersion else {
                throw MalformedBytes(what: "unknown version \(version)")
            }
            throw newer(version)
        }
        return try read(payload)
    }

    private static func newer(_ version: UInt32) -> DownloadError {
        DownloadError(
            .invalidResumeData,
            "the resume data has version \(version) and was written by a newer Pawl (this one "
                + "reads version \(currentVersion))",
            advice: "update Pawl, or start the download again"
        )
    }

    private static func damaged(_ how: String) -> DownloadError {
        unreadable("the resume data is damaged: \(how)")
    }

    private static func foreign(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "the resume data is empty" }
        if bytes.starts(with: Array("bplist".utf8)) || bytes.starts(with: Array("<?xml".utf8)) {
            return "this is not Pawl's resume data but a property list, such as Apple's"
        }
        return "this is not Pawl's resume data"
    }

    static func unreadable(_ message: String) -> DownloadError {
        DownloadError(
            .invalidResumeData,
            message,
            advice: "start the download again; Apple's resume data is imported with "
                + "ResumeData(appleResumeData:)"
        )
    }
}
