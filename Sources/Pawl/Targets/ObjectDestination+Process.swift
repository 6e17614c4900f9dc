internal import FoundationEssentials
internal import PawlCore
internal import PawlStorage
internal import PawlWire
internal import SystemPackage

extension ObjectDestination {
    /// Creates the destination of a download that belongs to no queue, whose upload is recorded in a
    /// file of the user.
    ///
    /// Downloads of the same URL to the same object, or to the same folder of a bucket, have the same
    /// record, so that each continues the upload of an earlier one.
    ///
    /// - Parameter source: The URL of the download.
    init(
        ofProcess url: URL,
        source: URL,
        _ settings: DownloadSettings
    ) throws(DownloadError) {
        try settings.checkForObject()
        let object = try ObjectAddress.parse(url.absoluteString)
        let service = settings.ofService.connection
        // The response to another request, or to one for a part, is another file.
        let identity = [
            object.absoluteString, service.s3.endpoint?.absoluteString ?? "",
            source.absoluteString, settings.requestMethod, settings.range?.text ?? "",
            SHA256.shortText(of: settings.body),
        ]
        let id = SHA256.shortText(of: identity.joined(separator: "\n"))
        let folder = try DaemonPaths.current().storeFolder
        try self.init(
            object,
            connection: service,
            credentials: nil,
            owner: ObjectOwner(queue: id),
            ledger: ExclusiveLedger("\(folder)/uploads/\(id)")
        )
        (ifExists, resumes) = (settings.ifExists, settings.resumes)
    }
}

extension ObjectOwner {
    /// Creates the owner of a queue's download.
    ///
    /// The identity itself marks partial files, and does not leave this machine.
    package init(ofQueue identity: String?, download: Int64) {
        self.init(queue: SHA256.shortText(of: "objects " + (identity ?? "")), download: download)
    }
}
