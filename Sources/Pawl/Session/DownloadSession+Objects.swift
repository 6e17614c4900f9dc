package import PawlCore
internal import PawlEngine
package import struct FoundationEssentials.URL

/// What downloads have left at storage services.
extension DownloadSession {
    /// Aborts an upload that no download continues; it does not exist any more when this returns.
    ///
    /// A record that names no object needs nothing.
    package func abortUpload(
        _ name: UploadName,
        over connection: ConnectionSettings
    ) async throws(DownloadError) {
        let abortion = UploadAbortion(name) { url in
            var request = TransferRequest(url: url)
            request.connection = connection
            return request
        }
        guard let abortion else { return }
        let reply = await engine.transport.reply(to: abortion.request)
        do throws(ObjectFailure) {
            try abortion.check(reply)
        } catch {
            throw abortion.error(error)
        }
    }

    /// An upload that a service has listed.
    package struct ListedUpload: Sendable, Hashable {
        package var name: UploadName
        /// When it was begun, as the service writes it; empty if the service does not know it.
        package var begun: String
    }

    /// Returns the uploads of a bucket that were neither completed nor aborted.
    ///
    /// - Parameters:
    ///   - folder: The `s3:` URL of a bucket, or with which the URLs of the objects begin.
    ///   - limit: The number of uploads after which no more are read.
    /// - Returns: The uploads, and whether there are more.
    package func unfinishedUploads(
        below folder: URL,
        over connection: ConnectionSettings,
        atMost limit: Int
    ) async throws(DownloadError) -> (uploads: [ListedUpload], hasMore: Bool) {
        var template = TransferRequest(url: folder)
        template.connection = connection
        guard let bucket = S3Object(folder)?.bucket, var list = UnfinishedUploads(below: template)
        else { throw .usage("\(folder.redacted) does not name a bucket") }
        var found: [ListedUpload] = []
        while var page = list.nextPage() {
            guard found.count < limit else { return (found, true) }
            page.maximumDuration = UploadAbortion.longest
            let reply = await engine.transport.reply(to: page)
            do throws(ObjectFailure) {
                found += try list.read(reply).map { entry in
                    let address = "s3://\(bucket)/\(entry.key.percentEncoded(except: "/"))"
                    let name = UploadName(id: entry.id, address: address)
                    return ListedUpload(name: name, begun: entry.begun)
                }
            } catch {
                throw error.error("listing the uploads", of: folder)
            }
        }
        return (found, false)
    }
}
