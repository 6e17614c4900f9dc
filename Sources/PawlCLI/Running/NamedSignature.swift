internal import Pawl
internal import PawlCore
internal import struct FoundationEssentials.URL

/// The OpenPGP signature of a file that the file's server has named in its response (RFC 6249).
struct NamedSignature: Sendable {
    /// Signatures of several people have a few kilobytes.
    private static let mostBytes: Int64 = 64 << 10
    private static let beginning = "-----BEGIN PGP SIGNATURE-----"

    private let url: URL
    /// The path of the signature, or the URL of its object.
    private let path: String
    private let settings: DownloadSettings

    /// Returns `nil` if the server names none, or if nothing about the file is looked for.
    ///
    /// `path`: that of the downloaded file.
    init?(
        _ response: @autoclosure () -> DownloadResponse?,
        of requested: RequestedDownload,
        at path: String
    ) {
        let settings = requested.settings
        guard settings.checksum == .automatic, settings.asksForFile, settings.range == nil,
            !requested.isForStandardOutput, let response = response(),
            let url = ServerDocument.signature.url(
                in: response.fields,
                from: response.url,
                of: requested.url
            )
        else { return nil }
        (self.url, self.path) = (url, path + ".asc")
        self.settings = settings.forDocument(within: .seconds(10))
    }

    /// Keeps the signature beside the file, unless a file has its name.
    ///
    /// - Returns: What has happened.
    func keep(in session: DownloadSession) async -> String {
        do throws(DownloadError) {
            let request = DownloadRequest(url) { [settings] in $0 = settings }
            let bytes = try await session.data(for: request, limit: Self.mostBytes).bytes
            guard bytes.starts(with: Self.beginning.utf8) else {
                return "\(url.redacted) is not an OpenPGP signature"
            }
            // The bytes get their name as those of any download do.
            let copy = DownloadRequest(Self.dataURL(of: bytes) ?? url) { [settings] copy in
                copy.ifExists = .skip
                copy.connection = settings.ofService.connection
            }
            _ = try await session.download(copy, to: destination)
            return "the signature is \(path.sanitized)"
        } catch {
            return "the signature \(url.redacted) is not kept: \(error.message)"
        }
    }

    private var destination: TaskDestination {
        guard ObjectAddress.isOne(path), let object = URL(string: path) else { return .file(path) }
        return .object(object)
    }

    private static func dataURL(of bytes: some Sequence<UInt8>) -> URL? {
        URL(string: "data:application/pgp-signature;base64,\(Array(bytes).base64)")
    }
}
