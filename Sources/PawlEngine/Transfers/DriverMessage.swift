internal import struct FoundationEssentials.URL
internal import PawlCore

/// A message that wakes a driver.
indirect enum DriverMessage: Sendable {
    case headJudged(TransferID, HeadVerdict, ResponseHead)
    /// The beginning of the body of a response with an error status, whose head follows.
    case errorBody(ResponseHead, ErrorBody, isWhole: Bool)
    /// A small file was received completely, and its bytes were not passed on before.
    case arrived(TransferID, SmallBody)
    /// A small file is still in memory although it should be on disk.
    ///
    /// Its transfer is held.
    case overdue(TransferID, SmallBody)
    /// A small file was received in part, and its bytes were not passed on before.
    case brokeOff(TransferID, SmallBody, TransferEnd)
    case transferEnded(TransferID, TransferEnd, DownloadError?)
    /// A transfer has received bytes that differ from the existing ones.
    ///
    /// It is ending.
    case seamDiffered(TransferID)
    /// The digest of the file was found beside it, perhaps with other sources.
    case digestFound(ContentDigest, [URL])
    case slotGranted(host: String)
    /// Enough bytes were received for a checkpoint.
    case checkpointDue
    /// A sync of the bytes that counted in that epoch has ended.
    case synced(epoch: Int, DownloadError?)
    /// Bytes that the store had taken are lost, or it takes no bytes any more.
    case targetFailed(TargetFailure)
    /// The reader of the bytes has taken some, or the error of writing them for it.
    case outputMoved(DownloadError?)
    /// A suspension has ended, or the store has room again.
    case released
    /// The download's own limit, or the limit for all downloads, has changed.
    case limitChanged
    case networkChanged(NetworkPath)
    case cancelled
}
