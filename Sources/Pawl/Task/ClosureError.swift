internal import struct FoundationEssentials.CocoaError
internal import struct FoundationEssentials.POSIXError
internal import Glibc
internal import PawlCore

extension DownloadError {
    /// Converts the error of a closure that the program has given, which may use Foundation's files.
    ///
    /// Without all of Foundation, its errors are printed as Swift values and not as sentences.
    init(thrownByClosure error: any Error) {
        guard let error = error as? CocoaError else {
            self.init(error)
            return
        }
        let number = (error.underlying as? POSIXError)?.code.rawValue
        let reason =
            number.map { String(cString: strerror($0)) }
            ?? "error \(error.code.rawValue) of Foundation"
        let parts = [error.filePath, reason].compactMap(\.self)
        self.init(.unknown, parts.joined(separator: ": "))
        cause = error
    }
}
