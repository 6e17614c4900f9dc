internal import FoundationEssentials
package import PawlCore
package import PawlWire

/// The requests of the downloads, as JSON with their secrets.
package struct RequestTable {
    private let database: any StoreConnection

    init(_ database: any StoreConnection) { self.database = database }

    /// A request as it is stored.
    package struct Entry: Sendable {
        /// JSON with the secrets.
        package let body: [UInt8]
        /// The folder that no file of the download may leave; `nil` if it is not confined.
        let confinedTo: String?

        package init(_ request: NewDownload) throws(DownloadError) {
            body = try WireJSON.encode(request)
            confinedTo = request.confinedTo
        }

        private init(body: [UInt8], confinedTo: String?) {
            (self.body, self.confinedTo) = (body, confinedTo)
        }

        /// Returns a request that differs only by its URL; `nil` if it has to be encoded.
        func with(url: String, insteadOf old: String) throws(DownloadError) -> Entry? {
            // The members are sorted by their names, and no other one comes after the URL.
            let last = try Self.lastMember(url: old)
            guard body.count > last.count, body.suffix(last.count).elementsEqual(last) else {
                return nil
            }
            var other = Array(body.dropLast(last.count))
            other += try Self.lastMember(url: url)
            return Entry(body: other, confinedTo: confinedTo)
        }

        private static func lastMember(url: String) throws(DownloadError) -> [UInt8] {
            var text = Array(#""url":"#.utf8)
            text += try WireJSON.encodeText(url)
            text.append(UInt8(ascii: "}"))
            return text
        }

        /// A request that was stored before; it may be damaged, or of a newer version.
        package init(body: [UInt8]) {
            struct Part: Decodable { var confinedTo: String? }
            self.body = body
            confinedTo = (try? WireJSON.decode(Part.self, from: body))?.confinedTo
        }
    }

    /// Returns the request of a download; `nil` if it was forgotten.
    package func request(of id: Int64) throws -> [UInt8]? {
        try database.value("SELECT body FROM request WHERE download = ?", [id])
    }

    /// Adds the requests of new downloads.
    func add(_ requests: some Sequence<(Int64, Entry)>) throws {
        let rows = try requests.map { id, request in
            try [SQLValue](parameters: [id, request.body, request.confinedTo])
        }
        try database.fill("request", "download, body, confinedTo", rows)
    }

    package func set(_ request: Entry, of id: Int64) throws {
        try database.run(
            """
            INSERT INTO request (download, body, confinedTo) VALUES (?, ?, ?)
            ON CONFLICT (download) DO UPDATE
                SET body = excluded.body, confinedTo = excluded.confinedTo
            """,
            [id, request.body, request.confinedTo]
        )
    }

    /// Removes the request with all of its secrets.
    package func forget(_ id: Int64) throws {
        try database.run(
            "UPDATE download SET confinedTo = \(Self.confiningFolder) WHERE id = ?",
            [id]
        )
        try database.run("DELETE FROM request WHERE download = ?", [id])
    }

    /// Returns the folder that no file of the download may leave; `nil` if it is not confined.
    package func confiningFolder(of id: Int64) throws -> String? {
        try database.value(
            """
            SELECT COALESCE(confinedTo, \(Self.confiningFolder)) FROM download WHERE id = ?
            """,
            [id]
        )
    }

    /// The expression for the folder of a download's request.
    private static let confiningFolder =
        "(SELECT request.confinedTo FROM request WHERE request.download = download.id)"
}
