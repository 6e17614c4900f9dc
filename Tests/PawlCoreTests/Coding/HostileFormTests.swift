import struct FoundationEssentials.Data
import class FoundationEssentials.JSONDecoder
import class FoundationEssentials.JSONEncoder
import PawlCore
import PawlTesting
import Testing

/// Stored values whose coded form somebody has changed.
///
/// Reading one succeeds or throws, and a value that was read can be used.
@Suite(.timeLimit(.minutes(5)))
struct HostileFormTests {
    private static let values = [
        "-1", "0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1e999",
        "1e308", "-0.5", "null", "true", "\"\"", "\"a\\u0000b\"", "[]", "{}", "[[]]",
        "\"https://\"", "\"\\ud83d\\ude00\"",
    ]

    private static let progress = #"""
        {"bytesPerSecond":2.5,"completedBytes":7,"connections":1,"name":"a","phase":"receiving",\#
        "resumedBytes":2,"segments":[{"completedBytes":3,"end":9,"start":4}],"totalBytes":9}
        """#

    private static let response = #"""
        {"fields":[{"name":"Content-Length","value":"9"},{"name":"Content-Range","value":"bytes\#
         1-2/9"}],"protocolVersion":"HTTP/2","redirects":["https://host/a"],"status":200,\#
        "url":"https://host/b.iso"}
        """#

    private static let error = #"""
        {"advice":"wait","code":"server-busy","context":"asking","httpStatus":503,\#
        "message":"busy","resumeObstacle":"no-validator","retry":"later","url":"https://host/a"}
        """#

    private static let metrics = #"""
        {"bytesReceived":5,"connect":0.012,"duration":1.5,"redirects":0,"retries":0,\#
        "reusedConnections":0,"segments":1,"transfers":1}
        """#

    private static let settings = #"""
        {"connections":4,"checksum":"md5=d41d8cd98f00b204e9800998ecf8427e","retries":3,\#
        "stallTimeoutSeconds":30,"limitBytesPerSecond":1000,"mirrors":["https://host/a"],\#
        "headers":["X-A: b"],"ifExists":"skip"}
        """#

    @Test func `changed forms are read or refused`() {
        var random = TestSeed.generator("HostileFormTests")
        for _ in 0..<2_000 {
            read(DownloadProgress.self, Self.progress, &random) { progress in
                _ = (progress.fraction, progress.timeLeft, progress.segments.map(\.range.count))
            }
            read(DownloadResponse.self, Self.response, &random) { response in
                _ = (response.expectedContentLength, response.suggestedFilename)
                _ = (response.mediaType, response.value("content-range"))
            }
            read(DownloadError.self, Self.error, &random) { error in
                _ = (error.description, error.isRetryable, error.code.exitStatus)
            }
            read(TaskMetrics.self, Self.metrics, &random) { metrics in
                _ = metrics.adding(metrics).adding(metrics)
            }
            read(DownloadSettings.self, Self.settings, &random) { _ in }
        }
    }

    private func read<Value: Codable>(
        _ type: Value.Type,
        _ form: String,
        _ random: inout SplitMix64,
        use: (Value) -> Void
    ) {
        let changed = Self.change(form, &random)
        // Most changed forms are refused.
        guard let value = try? JSONDecoder().decode(type, from: Data(changed.utf8)) else { return }
        use(value)
        #expect(throws: Never.self, "\(changed)") {
            _ = try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
        }
    }

    /// Replaces a value, or removes or repeats a few bytes.
    private static func change(_ form: String, _ random: inout SplitMix64) -> String {
        var bytes = Array(form.utf8)
        for _ in 0...Int.random(in: 0...2, using: &random) {
            let starts = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
            if let start = starts.randomElement(using: &random), Bool.random(using: &random) {
                let rest = bytes[(start + 1)...]
                let end = rest.firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") }
                let value = values.randomElement(using: &random) ?? "0"
                bytes.replaceSubrange((start + 1)..<(end ?? bytes.endIndex), with: value.utf8)
            } else {
                let offset = Int.random(in: 0..<max(1, bytes.count - 4), using: &random)
                let part = Array(bytes[offset..<min(bytes.count, offset + 3)])
                if Bool.random(using: &random) {
                    bytes.insert(contentsOf: part, at: offset)
                } else {
                    bytes.removeSubrange(offset..<(offset + part.count))
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
