#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
internal import struct FoundationEssentials.URL
internal import PawlCore
internal import PawlStorage
internal import SystemPackage

/// The bytes of a `file:` or `data:` URL, and the response head that describes them.
///
/// So all that decides about responses applies to these bytes, too.
struct LocalSource: Sendable {
    /// The head, and the range of the bytes that follow it.
    private(set) var head: ResponseHead
    private(set) var range = ByteRange(0, 0)
    private let content: Content

    private enum Content: Sendable {
        case none
        case bytes([UInt8])
        case file(OpenFile, FileStatus)
    }

    /// Opens what a request asks for; it blocks.
    ///
    /// A file that cannot be opened is a response with a status, as from a server.
    init(_ request: TransferRequest) throws(TransferFailure) {
        guard request.method == "GET", request.body.isEmpty else {
            throw TransferFailure(
                .unsupportedURL,
                "there is no server that takes \(request.method)"
            )
        }
        let parts = AddressParts(request.url.absoluteString)
        head = ResponseHead(
            url: request.url,
            status: 200,
            protocolVersion: request.scheme.rawValue
        )
        if request.scheme == .data {
            guard let data = DataURL(parts) else {
                throw TransferFailure(.unsupportedURL, "the data URL is not valid")
            }
            content = .bytes(data.bytes)
            head.fields.append(HTTPField(name: "Content-Type", value: data.mediaType))
            describe(total: Int64(data.bytes.count), requested: request.range)
            return
        }
        guard request.connection.actsForProcessOwner else {
            throw TransferFailure(.addressRefused, "the files of this computer are not served")
        }
        do throws(Errno) {
            let (file, status) = try Self.open(parts)
            guard status.isRegular else {
                throw status.isDirectory ? .isDirectory : .invalidArgument
            }
            // Files of the kernel, such as those in /proc, have no size.
            var byte: UInt8 = 0
            let more = try withUnsafeMutableBytes(of: &byte) { (buffer) throws(Errno) in
                try file.read(into: buffer, at: status.size)
            }
            guard more == 0 else { throw .invalidArgument }
            content = .file(file, status)
            describe(status)
            describe(total: status.size, requested: request.range)
        } catch {
            content = .none
            (head.status, head.reason) = Self.refusal(error)
        }
    }

    private static func open(_ parts: AddressParts) throws(Errno) -> (OpenFile, FileStatus) {
        let bytes = parts.path.percentDecodedBytes
        guard !bytes.contains(0) else { throw .invalidArgument }
        // Otherwise a named pipe without a writer would block.
        let file = try OpenFile(FilePath(bytes: bytes), O_RDONLY | O_NONBLOCK)
        return (file, try file.status())
    }

    private static func refusal(_ error: Errno) -> (status: Int, reason: String) {
        switch error {
        case .noSuchFileOrDirectory, .notDirectory: (404, "no such file")
        case .permissionDenied, .notPermitted: (403, "no permission")
        case .isDirectory: (404, "it is a folder")
        case .invalidArgument: (404, "it is not a regular file")
        case _ where [ENXIO, ENODEV, ELOOP, ENAMETOOLONG].contains(error.rawValue):
            (404, error.description)
        default: (500, error.description)
        }
    }

    /// Identifies the version of the file by all that changes with its bytes.
    private mutating func describe(_ status: FileStatus) {
        let identity = [status.identity.device, status.identity.inode].map { "\($0)" }
        let version = [status.size, status.modifiedNanoseconds].map { "\($0)" }
        let tag = (identity + version).joined(separator: "-")
        let seconds = status.modifiedNanoseconds / 1_000_000_000
        head.fields += [
            HTTPField(name: "ETag", value: "\"\(tag)\""),
            HTTPField(
                name: "Last-Modified",
                value: HTTPDate(secondsSince1970: seconds).text
            ),
        ]
    }

    private mutating func describe(total: Int64, requested: ByteRange?) {
        range = ByteRange(0, total)
        head.fields.append(HTTPField(name: "Accept-Ranges", value: "bytes"))
        if let requested {
            guard requested.start < total else {
                (head.status, range) = (416, ByteRange(0, 0))
                return head.fields.append(
                    HTTPField(name: "Content-Range", value: "bytes */\(total)")
                )
            }
            range = ByteRange(requested.start, min(requested.end, total))
            let contentRange = "bytes \(range.start)-\(range.end - 1)/\(total)"
            head.status = 206
            head.fields.append(HTTPField(name: "Content-Range", value: contentRange))
        }
        head.fields.append(HTTPField(name: "Content-Length", value: "\(range.count)"))
    }

    /// Passes up to `count` bytes at an offset to `body`; returns their number and its result.
    ///
    /// - Throws: A failure if the bytes cannot be read, or are no longer those of the head.
    func read<Result>(
        at offset: Int64,
        into buffer: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(TransferFailure) -> (count: Int, Result) {
        let count = Int(clamping: min(Int64(buffer.count), range.end - offset))
        let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        switch content {
        case .none: break
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                part.copyMemory(from: .init(rebasing: $0[Int(offset)...].prefix(count)))
            }
        case .file(let file, let status):
            do throws(Errno) {
                let found = try file.read(into: part, at: offset)
                guard found == count, status.isUnchanged(in: try file.status()) else {
                    throw .staleNFSFileHandle
                }
            } catch .staleNFSFileHandle {
                throw TransferFailure(.connectionLost, "the file changed while it was read")
            } catch {
                throw TransferFailure(.connectionLost, error.description)
            }
        }
        return (count, body(UnsafeRawBufferPointer(part)))
    }
}

extension FileStatus {
    fileprivate func isUnchanged(in now: FileStatus) -> Bool {
        size == now.size && modifiedNanoseconds == now.modifiedNanoseconds
    }
}
