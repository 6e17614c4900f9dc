package import SystemPackage

/// A server in this process that speaks the protocol of S3, and is stricter than most services.
///
/// It checks each signature, each checksum and each rule about parts. A test scripts its faults,
/// and reads what the server received and what it holds. Requests may name a bucket in the path
/// or in the first label of the host. It stops when the object is released.
package final class ScriptedBucket: Sendable {
    package static let usualName = "photos"
    package static let region = "us-east-1"

    package let credentials: BucketCredentials
    private let origin: ScriptedOrigin
    private let service: BucketService

    /// Starts with empty buckets.
    ///
    /// - Parameters:
    ///   - onAllAddresses: Whether a network namespace can reach it.
    package init(
        _ names: Set<String> = [usualName],
        credentials: BucketCredentials = .usual,
        tls: Bool = false,
        onAllAddresses: Bool = false
    ) throws(Errno) {
        self.credentials = credentials
        let service = BucketService(
            buckets: names,
            SignatureCheck(credentials: credentials, region: Self.region)
        )
        self.service = service
        origin = try ScriptedOrigin(
            tls: tls,
            onAllAddresses: onAllAddresses,
            keepsBodies: false
        )
        origin.route("/*", .custom { try service.answer($0, $1) }, readsBody: true)
    }

    package var port: UInt16 { origin.port }

    /// The URL of the service, for requests that name the bucket in the path.
    ///
    /// With the host `localhost`, a client can verify the certificate of a bucket with TLS.
    package func endpoint(host: String = "127.0.0.1") -> String { origin.url("", host: host) }

    /// The certificate in PEM, for a client to trust; `nil` without TLS.
    package var certificatePEM: String? { origin.certificatePEM }

    // MARK: - What it received

    /// The requests so far, in the order in which their heads arrived, also those without an answer.
    package var requests: [BucketRequest] { service.ledger.value }

    /// Returns the requests so far for an operation.
    package func requests(_ operation: BucketOperation) -> [BucketRequest] {
        requests.filter { $0.operation == operation }
    }

    /// Waits for the first state of all requests that meets the condition, and returns it.
    @discardableResult
    package func waitUntil(
        _ holds: @escaping @Sendable ([BucketRequest]) -> Bool
    ) async -> [BucketRequest] {
        await service.ledger.wait(until: holds)
    }

    /// Waits until `count` requests for an operation have arrived.
    package func waitForRequests(_ operation: BucketOperation, _ count: Int = 1) async {
        await waitUntil { $0.count { $0.operation == operation } >= count }
    }

    // MARK: - What it holds

    /// Returns an object; `nil` if there is none.
    package func object(_ key: String, in bucket: String = usualName) -> BucketObject? {
        service.contents.objects[BucketKey(bucket, Array(key.utf8))]
    }

    /// Returns the keys of a bucket in order.
    package func keys(in bucket: String = usualName) -> [String] {
        service.contents.objects.keys.filter { $0.bucket == bucket }
            .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            .map(\.text)
    }

    /// The uploads that are neither complete nor aborted, in the order of their creation.
    package var uploads: [BucketUpload] {
        service.contents.uploads.values.sorted {
            ($0.id.utf8.count, $0.id) < ($1.id.utf8.count, $1.id)
        }
    }

    /// Stores an object, as another client would.
    package func store(
        _ bytes: [UInt8],
        as key: String,
        in bucket: String = usualName,
        _ notes: BucketNotes = BucketNotes()
    ) {
        let object = BucketObject(bytes, notes: notes, modified: service.now)
        service.change { $0.store(object, as: BucketKey(bucket, Array(key.utf8))) }
    }

    /// Removes an object, as another client would.
    package func remove(_ key: String, in bucket: String = usualName) {
        service.change { $0.remove(BucketKey(bucket, Array(key.utf8))) }
    }

    // MARK: - Its script

    /// Changes how the bucket differs from Amazon's S3, for later requests.
    package func setTraits(_ change: (inout BucketTraits) -> Void) {
        service.change { change(&$0.traits) }
    }

    /// Applies a fault to the request for an operation with this number, counted from 1 and from
    /// the bucket's start.
    package func on(_ operation: BucketOperation, _ number: Int, _ fault: BucketFault) {
        on(fault) { $0.operation == operation && $0.ordinal == number }
    }

    /// Applies a fault to all later requests that meet a condition.
    ///
    /// If several faults fit, the one that was added last applies.
    package func on(
        _ fault: BucketFault,
        where isMeant: @escaping @Sendable (BucketRequest) -> Bool
    ) {
        service.add(fault, isMeant)
    }

    /// Removes all faults.
    package func removeFaults() { service.removeFaults() }

    /// Sets the bucket's clock ahead of this machine's, or behind it.
    package func setClock(offset seconds: Int64) { service.setClock(offset: seconds) }

    /// Breaks all open connections, but accepts new ones.
    package func breakConnections() { origin.breakConnections() }

    /// Breaks all connections, refuses new ones, and waits until the threads have ended.
    package func stop() { origin.stop() }
}
