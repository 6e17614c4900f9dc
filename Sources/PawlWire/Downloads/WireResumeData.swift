package import struct FoundationEssentials.Data

/// With what a download could be gone on elsewhere.
package struct WireResumeData: Codable, Sendable, Hashable {
    /// Nil where there is nothing to go on with.
    package var resumeData: Data?

    package init(_ resumeData: Data?) { self.resumeData = resumeData }
}
