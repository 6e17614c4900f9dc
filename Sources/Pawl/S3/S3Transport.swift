internal import Glibc
package import PawlCore
internal import Synchronization
internal import struct FoundationEssentials.URL

/// Sends requests for `s3:` URLs as signed requests over HTTP, with another transport.
///
/// All other parts see only the `s3:` URL. Each request is signed when it is sent, because a
/// signature is valid for 15 minutes only.
package final class S3Transport: Transport {
    private struct Known {
        /// The accounts that were found, and when.
        var accounts: [Question: (account: S3Account, at: Int64)] = [:]
        /// The regions of buckets that are not in the account's region.
        var regions: [String: String] = [:]
        /// The time by which this machine's clock is behind that of each service, in seconds.
        var clockOffsets: [String: Int64] = [:]
    }

    private struct Question: Hashable {
        var settings: S3Settings
        var given: Credentials?
        var mayUseOwn: Bool
    }

    /// The time for which an account is used before the user's files are read again, in seconds.
    private static let interval: Int64 = 60
    private static let mostEntries = 1_000

    private let base: any Transport
    private let surroundings: S3Surroundings
    private let clock: @Sendable () -> Int64
    private let known = Mutex(Known())
    let credentials: CredentialCache

    /// - Parameters:
    ///   - clock: Returns this machine's time in seconds since 1970.
    package init(
        over base: any Transport,
        surroundings: S3Surroundings = .ofProcess,
        clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
    ) {
        self.base = base
        self.surroundings = surroundings
        self.clock = clock
        credentials = CredentialCache(base)
    }

    package var workTimes: [Duration] { base.workTimes }

    package func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        guard request.scheme == .s3 else { return base.start(request, sink: sink) }
        let transfer = S3Transfer(request, sink: sink, transport: self)
        transfer.begin()
        return transfer
    }

    // MARK: - For its transfers

    func startOverHTTP(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        base.start(request, sink: sink)
    }

    /// The time of this machine.
    var now: Int64 { clock() }

    /// Returns the time, as the service at an endpoint has it.
    func now(at endpoint: S3Endpoint) -> Int64 {
        let offset = known.withLock { $0.clockOffsets[Self.name(of: endpoint)] } ?? 0
        return clock().addingReportingOverflow(offset).partialValue
    }

    /// Notes the time that the service at an endpoint has reported.
    func record(serverTime: Int64, at endpoint: S3Endpoint) {
        let offset = serverTime.subtractingReportingOverflow(clock()).partialValue
        known.withLock { known in
            if known.clockOffsets.count >= Self.mostEntries { known.clockOffsets = [:] }
            known.clockOffsets[Self.name(of: endpoint)] = offset
        }
    }

    /// Returns the account for a request; it may read files of the user.
    func account(for request: TransferRequest) throws(TransferFailure) -> S3Account {
        let question = Question(
            settings: request.connection.s3,
            given: request.credentials,
            mayUseOwn: request.connection.actsForProcessOwner
        )
        let now = clock()
        let recent = known.withLock { $0.accounts[question] }
        if let recent, (0..<Self.interval).contains(now - recent.at) { return recent.account }
        let account = try S3Account(
            question.settings,
            given: question.given,
            in: question.mayUseOwn ? surroundings : nil
        )
        known.withLock { known in
            if known.accounts.count >= Self.mostEntries { known.accounts = [:] }
            known.accounts[question] = (account, now)
        }
        return account
    }

    /// Returns the region of a bucket at an endpoint, if it was found to be another one.
    func region(of bucket: String, at endpoint: S3Endpoint) -> String? {
        known.withLock { $0.regions[Self.key(bucket, endpoint)] }
    }

    func record(_ region: String, of bucket: String, at endpoint: S3Endpoint) {
        known.withLock { known in
            if known.regions.count >= Self.mostEntries { known.regions = [:] }
            known.regions[Self.key(bucket, endpoint)] = region
        }
    }

    private static func key(_ bucket: String, _ endpoint: S3Endpoint) -> String {
        "\(bucket) \(name(of: endpoint))"
    }

    /// The name of a service; that of AWS is empty.
    private static func name(of endpoint: S3Endpoint) -> String {
        endpoint.base?.absoluteString ?? ""
    }
}
