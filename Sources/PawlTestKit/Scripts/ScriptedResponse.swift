internal import PawlCore
public import struct FoundationEssentials.URL

/// A response that a ``ScriptedServer`` sends.
///
/// Start from ``body(_:mediaType:)``, ``text(_:mediaType:)``, ``status(_:text:)``,
/// ``redirect(to:status:)`` or ``failure(_:)``, and change the response with its methods:
///
/// ```swift
/// let broken = ScriptedResponse.body(bytes).breaking(afterBytes: 400_000)
/// server.respond(to: url, with: broken, .body(bytes))
/// ```
public struct ScriptedResponse: Sendable {
    /// What happens after a number of bytes of the body.
    enum Mark: Sendable {
        case hold(ResponseHold)
        case failure(ScriptedFailure)

        fileprivate var isHold: Bool { if case .hold = self { true } else { false } }
    }

    private(set) var status: Int
    private(set) var body: [UInt8] = []
    /// The fields of the version of the file, such as its entity tag.
    private(set) var fields: [HTTPField] = []
    /// The test's own fields, which replace those of the same name; a value of `nil` removes them.
    private(set) var changes: [(name: String, value: String?)] = []
    private(set) var servesRanges = false
    private(set) var isCompressed = false
    /// The failure in place of a response.
    private(set) var failure: ScriptedFailure?
    /// What precedes the head.
    private(set) var holds: [ResponseHold] = []
    private(set) var marks: [(offset: Int, mark: Mark)] = []

    private init(status: Int) { self.status = status }

    /// Returns a response with a file's bytes and status 200.
    ///
    /// It behaves as a static server does: a range is answered with 206 or 416, `If-Range` and
    /// conditional requests are obeyed, and each content has its own strong `ETag`. So another body
    /// is another version of the file. Methods other than GET and HEAD receive the whole body.
    public static func body(
        _ bytes: some Sequence<UInt8>,
        mediaType: String = "application/octet-stream"
    ) -> ScriptedResponse {
        var response = ScriptedResponse(status: 200)
        response.body = Array(bytes)
        response.servesRanges = true
        let version = String(CyclicChecksum.of(response.body), radix: 16)
        response.fields = [
            HTTPField(name: "Content-Type", value: mediaType),
            HTTPField(name: "ETag", value: "\"\(version)\""),
            HTTPField(name: "Accept-Ranges", value: "bytes"),
        ]
        return response
    }

    /// Returns a response with a text in UTF-8 and status 200, which behaves as
    /// ``body(_:mediaType:)`` does.
    public static func text(
        _ text: String,
        mediaType: String = "text/plain; charset=utf-8"
    ) -> ScriptedResponse {
        body(text.utf8, mediaType: mediaType)
    }

    /// Returns a response with a status and, as its body, a text.
    public static func status(_ status: Int, text: String = "") -> ScriptedResponse {
        var response = ScriptedResponse(status: status)
        response.body = Array(text.utf8)
        return response.field("Content-Type", "text/plain; charset=utf-8")
    }

    /// Returns a redirect to another URL, which needs a response of its own.
    public static func redirect(to url: URL, status: Int = 302) -> ScriptedResponse {
        ScriptedResponse(status: status).field("Location", url.absoluteString)
    }

    /// Returns a failure of the connection, before any response.
    public static func failure(_ failure: ScriptedFailure) -> ScriptedResponse {
        var response = ScriptedResponse(status: 0)
        response.failure = failure
        return response
    }

    /// Returns the response with another field of the head, which replaces those of the same name.
    ///
    /// `nil` removes the fields of that name, for example the `ETag` or the `Content-Length`.
    public func field(_ name: String, _ value: String?) -> ScriptedResponse {
        changed { response in
            response.changes.removeAll { HTTPField(name: $0.name, value: "").hasName(name) }
            response.changes.append((name, value))
        }
    }

    /// Returns the response with a failure after `count` bytes of its own body.
    ///
    /// A response to a range of fewer bytes does not fail. If even the whole body has fewer bytes,
    /// or the response fails before, each request fails with the code `.usage`.
    public func breaking(
        afterBytes count: Int,
        with failure: ScriptedFailure = .connectionLost
    ) -> ScriptedResponse {
        changed { $0.marks.append((count, .failure(failure))) }
    }

    /// Returns the response with a wait until the test releases `hold`.
    ///
    /// It waits after `count` bytes of its own body, or before its head if `count` is `nil`. A
    /// response to a range of fewer bytes does not wait. If even the whole body has fewer bytes, or
    /// the response fails before, each request fails with the code `.usage`. A download that waits
    /// longer than its setting `stallTimeout` sends the request again.
    public func holding(afterBytes count: Int? = nil, until hold: ResponseHold)
        -> ScriptedResponse
    {
        changed { response in
            if let count {
                response.marks.append((count, .hold(hold)))
            } else {
                response.holds.append(hold)
            }
        }
    }

    /// Returns the response with the coding `gzip` for requests of data tasks that accept it.
    ///
    /// The body is what the program receives after decoding. Other requests receive it without the
    /// coding, as they would from a real server.
    public func compressed() -> ScriptedResponse { changed { $0.isCompressed = true } }

    /// Returns the response of a server that has no ranges: each request receives the whole body.
    public func ignoringRanges() -> ScriptedResponse {
        changed { $0.servesRanges = false }.field("Accept-Ranges", nil)
    }

    /// The marks, in the order in which a response reaches them.
    var marksInOrder: [(offset: Int, mark: Mark)] {
        marks.sorted { first, second in
            guard first.offset == second.offset else { return first.offset < second.offset }
            // A wait after the failure would never begin.
            return first.mark.isHold && !second.mark.isHold
        }
    }

    /// The number of bytes of the mark that no response reaches; `nil` if all marks can be reached.
    var unreachedMark: Int? {
        guard let last = marksInOrder.last?.offset else { return nil }
        let failures = marks.lazy.filter { !$0.mark.isHold }.map(\.offset)
        let end = min(failures.min() ?? .max, failure == nil ? mostBytes : -1)
        return last > end ? last : nil
    }

    /// The maximum number of bytes of the body that a response has; negative for a response without
    /// a body.
    private var mostBytes: Int {
        guard ![204, 304].contains(status) else { return -1 }
        let length = changes.first { HTTPField(name: $0.name, value: "").hasName("Content-Length") }
        guard let count = length?.value.flatMap({ Int($0) }), count >= 0, !isCompressed else {
            return body.count
        }
        return min(body.count, count)
    }

    private func changed(_ change: (inout ScriptedResponse) -> Void) -> ScriptedResponse {
        var response = self
        change(&response)
        return response
    }
}
