public import Foundation
public import Pawl

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

// It is named as Foundation names its domains.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The domain of the errors of Pawl as `NSError`.
public let PawlErrorDomain = "PawlErrorDomain"

/// A `DownloadError` as an `NSError`, as which it arrives in code that expects one.
extension DownloadError: CustomNSError {
    /// The domain, `PawlErrorDomain`.
    public static var errorDomain: String { PawlErrorDomain }

    /// The number of the error's code: the exit status in the table of codes, such as 3 for
    /// `ErrorCode.notFound`.
    ///
    /// A code that this version does not know has the number 1.
    public var errorCode: Int { Int(code.exitStatus) }

    /// The error's texts and values under the keys of Foundation.
    ///
    /// | key | value |
    /// | --- | --- |
    /// | `NSLocalizedDescriptionKey` | what failed, and what was being done |
    /// | `NSLocalizedFailureReasonErrorKey` | what failed: the `message` |
    /// | `NSLocalizedRecoverySuggestionErrorKey` | the `advice`, if there is any |
    /// | `NSUnderlyingErrorKey` | the `cause`, if there is one |
    /// | `NSURLErrorFailingURLErrorKey` | the `url`, if a request was the failure |
    /// | `NSURLSessionDownloadTaskResumeData` | the `resumeData` as `Data`, if there are any |
    ///
    /// The last one is Pawl's resume data, which only Pawl can use: `ResumeData(data:)` reads them.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: errorDescription ?? message,
            NSLocalizedFailureReasonErrorKey: message,
        ]
        if let suggestion = recoverySuggestion {
            info[NSLocalizedRecoverySuggestionErrorKey] = suggestion
        }
        if let cause { info[NSUnderlyingErrorKey] = cause }
        if let url { info[NSURLErrorFailingURLErrorKey] = url }
        if let resumeData { info[Self.resumeDataKey] = resumeData.data }
        return info
    }

    private static var resumeDataKey: String {
        #if canImport(FoundationNetworking)
        URLSessionDownloadTaskResumeData
        #else
        NSURLSessionDownloadTaskResumeData
        #endif
    }
}
