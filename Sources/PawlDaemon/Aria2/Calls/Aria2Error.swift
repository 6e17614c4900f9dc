package import PawlCore

/// An error as aria2 reports it: a number and a message.
package struct Aria2Error: Error, Hashable {
    package let code: Int
    package let message: String

    package init(_ message: String, code: Int = 1) {
        (self.code, self.message) = (code, message)
    }

    package init(_ error: DownloadError) {
        let advice = error.guidance.text(for: .api)
        self.init(advice.isEmpty ? error.message : "\(error.message); \(advice)")
    }

    /// The status of the HTTP response to a single call.
    package var status: Int {
        switch code {
        case -32_600: 400
        case -32_601: 404
        case Int.min..<0: 500
        default: 400
        }
    }

    package static let unauthorized = Aria2Error("Unauthorized")
    package static let notJSON = Aria2Error("Parse error.", code: -32_700)
    package static let invalidRequest = Aria2Error("Invalid Request.", code: -32_600)
    package static let invalidParameters = Aria2Error("Invalid params.", code: -32_602)

    static let tooMuch = Aria2Error("The request asks for too much.")

    static func option(_ name: String) -> Aria2Error {
        Aria2Error("We encountered a problem while processing the option '--\(name)'.")
    }

    /// Returns any error of a method as aria2 reports it.
    static func of(_ error: any Error) -> Aria2Error {
        switch error {
        case let error as Aria2Error: error
        case let error as DownloadError: Aria2Error(error)
        default: Aria2Error("The daemon could not handle the request.")
        }
    }
}
