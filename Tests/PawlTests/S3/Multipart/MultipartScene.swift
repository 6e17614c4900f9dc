import Pawl
import PawlCore
import Testing
import struct FoundationEssentials.URL

/// Requests and responses for an object, without a network.
struct MultipartScene {
    let target: ObjectTarget

    init(_ address: String = "s3://photos/a%20b/c.iso") throws {
        target = try #require(ObjectTarget(try Self.template(address)))
    }

    static func template(_ address: String) throws -> TransferRequest {
        var template = TransferRequest(url: try #require(URL(string: address)))
        template.credentials = Credentials(name: "AKID", password: "s3cret")
        return template
    }

    static func reply(
        _ status: Int = 200,
        _ fields: [String: String] = [:],
        _ body: String = "",
        _ outcome: TransferOutcome = .completed
    ) throws -> ServiceReply {
        let head = ResponseHead(
            url: try #require(URL(string: "s3://photos/c.iso")),
            status: status,
            reason: "",
            protocolVersion: "HTTP/1.1",
            fields: fields.map { HTTPField(name: $0.key, value: $0.value) }
        )
        return ServiceReply(head: head, body: Array(body.utf8), outcome: outcome)
    }

    static func error(_ code: String, status: Int, prefix: String = "") throws -> ServiceReply {
        try reply(
            status,
            [:],
            "\(prefix)<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code><Message>no</Message></Error>"
        )
    }
}

/// Returns the failure that a closure throws; `nil` if it throws none.
func failure(_ body: () throws -> Void) -> ObjectFailure? {
    do {
        try body()
        return nil
    } catch {
        return error as? ObjectFailure
    }
}

extension ObjectFailure {
    var refusal: ObjectRefusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }

    var isUnclear: Bool {
        guard case .unclear = self else { return false }
        return true
    }
}
