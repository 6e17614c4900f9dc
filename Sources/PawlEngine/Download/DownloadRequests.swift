internal import PawlCore
internal import struct FoundationEssentials.URL

/// Makes the requests of one download.
struct DownloadRequests: Sendable {
    private let job: DownloadJob
    private let cookies: CookieJar?
    private let secureHosts: SecureHosts?
    private let alternatives: AlternativeServices?
    private let limits: TransferLimits
    private let transport: any Transport
    /// `nil` unless only the last bytes of the file are requested.
    private let fileEnd: FileEnd?
    /// `nil` if no source has versions.
    private let versions: ObjectVersions?

    init(_ job: DownloadJob, engine: Engine, limits: TransferLimits) {
        self.job = job
        self.limits = limits
        cookies = engine.cookies(for: job.settings.connection, own: job.cookies)
        secureHosts = engine.secureHosts(for: job.settings.connection)
        alternatives = engine.alternatives(for: job.settings.connection)
        transport = engine.transport
        fileEnd = job.settings.range.flatMap { range in
            range.isFromEnd ? FileEnd(range, over: engine.transport, pool: engine.disk) : nil
        }
        let urls = [job.url] + job.mirrors.map(\.url)
        versions = urls.contains { URLScheme(of: $0.scheme) == .s3 } ? ObjectVersions() : nil
    }

    /// Starts a transfer, whose offsets are those of the file that is downloaded.
    func start(_ request: TransferRequest, sink: any TransferSink) -> any Transfer {
        if let fileEnd { return fileEnd.start(request, sink: sink) }
        guard let range = job.settings.range else {
            return transport.start(request, sink: sink)
        }
        let view = RangeView(range)
        let isWhole = request.range == nil
        return transport.start(
            view.request(request),
            sink: RangeViewSink(sink, view, isWhole: isWhole)
        )
    }

    /// Returns a request with the settings of the download.
    func request(_ url: URL, range: ByteRange?) -> TransferRequest {
        var request = TransferRequest(
            url,
            range: range,
            settings: job.settings,
            original: job.url
        )
        request.cookies = cookies
        request.secureHosts = secureHosts
        request.alternatives = alternatives
        return request
    }

    func request(for planned: PlannedTransfer) -> TransferRequest {
        var request = request(planned.url, range: planned.range)
        request.method = planned.method
        if planned.sendsBody {
            request.body = job.settings.body
            if !request.body.isEmpty,
                !request.fields.contains(where: { $0.hasName("Content-Type") })
            {
                let type = DownloadSettings.formType
                request.fields.append(HTTPField(name: "Content-Type", value: type))
            }
        } else {
            request.fields = RedirectPolicy.fieldsWithoutBody(request.fields)
        }
        if job.settings.decodesContent, planned.range == nil { request.codings = .decoded }
        // The mirrors that the server has named come after the user's.
        if job.mirrors.indices.contains(planned.source - 1) {
            request.signIn(to: job.mirrors[planned.source - 1])
        }
        request.versions = versions
        request.pinnedTag = planned.pinned?.entityTag
        let isNew = planned.pinned == nil || planned.proof != .unchanged
        if isNew, job.settings.checksum.takesServers {
            request.fields.append(
                HTTPField(name: "Want-Repr-Digest", value: "sha-256=10, sha-512=9")
            )
        }
        // A single stream gains from a large buffer; the buffers of many must be small.
        let isFirst = planned.id == TransferID(1)
        request.bufferBytes = limits.bufferBytes(atMost: isFirst ? 512 * 1024 : 128 * 1024)
        return request
    }
}
