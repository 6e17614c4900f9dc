package import struct FoundationEssentials.Data

/// The data with which a download can be resumed elsewhere.
package struct WireResumeData: Codable, Sendable, Hashable {
    /// The data; `nil` if there is nothing to resume from.
    package var resumeData: Data?

    package init(_ resumeData: Data?) { self.resumeData = resumeData }
}
