import Foundation
import Pawl

/// The third way: chunks, as they arrive, into a file handle.
///
/// While one chunk is written, at most 256 KiB more are fetched, so memory use stays low however
/// large the file is. But the transfer cannot be resumed, and uses only one connection; a download
/// task does better.
func fetchIntoFileHandle(_ url: URL, to path: String) async throws -> Int64 {
    guard FileManager.default.createFile(atPath: path, contents: nil),
        let handle = FileHandle(forWritingAtPath: path)
    else { throw CocoaError(.fileWriteUnknown) }
    defer { try? handle.close() }
    let session = DownloadSession()
    let answer = try await session.bytes(from: url)
    print("file handle: \(answer.response.expectedContentLength ?? 0) bytes are to come")
    for try await chunk in answer {
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(chunk))
    }
    return answer.receivedBytes
}

/// The fourth way: chunks into a stream.
func fetchIntoStream(_ url: URL, to path: String) async throws -> Int64 {
    guard let stream = OutputStream(toFileAtPath: path, append: false) else {
        throw CocoaError(.fileWriteUnknown)
    }
    stream.open()
    defer { stream.close() }
    let session = DownloadSession()
    let answer = try await session.bytes(from: url)
    for try await chunk in answer {
        var rest = chunk[...]
        while !rest.isEmpty {
            let count = Array(rest).withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { stream.write($0, maxLength: bytes.count) } ?? 0
            }
            guard count > 0 else { throw stream.streamError ?? CocoaError(.fileWriteUnknown) }
            rest = rest.dropFirst(count)
        }
    }
    return answer.receivedBytes
}
